package io.millrace.auth.session;

import io.millrace.kit.file.PrivateFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * File of revocations: a line for each that was made or lifted, with its checksum, synced before it is acknowledged.
 * Blocks; for one thread.
 */
final class RevocationFile implements Closeable {
    private static final String HEAD = "# Written by Millrace. 'millrace revoke' adds and lifts revocations.";
    private static final String MADE = "revoked";
    private static final String LIFTED = "lifted";
    private static final int FIELDS = 5;

    private final FileChannel channel;

    private RevocationFile(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Opens the file, and creates it if there is none. An unfinished last line, which was never acknowledged, and what
     * was lifted are removed from it.
     *
     * @param kept whether a revocation is still of use; others are removed too
     * @param found takes each revocation in force
     * @throws IOException if the file cannot be read or written, or if a finished line is damaged: what it revoked is
     *     unknown
     */
    static RevocationFile open(Path path, Predicate<Revocation> kept, Consumer<Revocation> found) throws IOException {
        String text = Files.exists(path) ? Files.readString(path, StandardCharsets.ISO_8859_1) : "";
        Map<List<Object>, Revocation> all = new LinkedHashMap<>();
        int lines = 0;
        int start = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
            String line = text.substring(start, end);
            start = end + 1;
            lines++;
            if (!line.equals(HEAD)) {
                apply(line, lines, all);
            }
        }
        all.values().removeIf(kept.negate());
        all.values().forEach(found);
        if (start < text.length() || lines != all.size() + 1) {
            List<String> fresh = new ArrayList<>(List.of(HEAD));
            all.values().forEach(revocation -> fresh.add(line(MADE, revocation)));
            PrivateFile.write(path, fresh);
        }
        return new RevocationFile(PrivateFile.open(path));
    }

    /** Appends a revocation durably. */
    void revoke(Revocation revocation) throws IOException {
        append(line(MADE, revocation));
    }

    /** Appends durably that a revocation no longer holds. */
    void lift(Revocation revocation) throws IOException {
        append(line(LIFTED, revocation));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void append(String line) throws IOException {
        long start = channel.size();
        channel.position(start);
        try {
            for (ByteBuffer rest = StandardCharsets.ISO_8859_1.encode(line + '\n'); rest.hasRemaining(); ) {
                channel.write(rest);
            }
            channel.force(true);
        } catch (IOException e) {
            // A full file system takes a part of a line, which the next line would continue.
            channel.truncate(start);
            throw e;
        }
    }

    private static void apply(String line, int number, Map<List<Object>, Revocation> found) throws IOException {
        String[] fields = line.split("\t", -1);
        Revocation revocation = fields.length == FIELDS ? revocation(fields) : null;
        if (revocation == null || !line.equals(line(fields[0], revocation))) {
            throw new IOException(
                    "line %d is damaged. Without it credentials may be valid that were revoked: remove it, "
                                    .formatted(number)
                            + "and revoke again what it names");
        }
        List<Object> key = List.of(revocation.target(), revocation.name());
        if (fields[0].equals(MADE)) {
            found.merge(key, revocation, (a, b) -> a.before().isAfter(b.before()) ? a : b);
        } else {
            found.remove(key);
        }
    }

    private static @Nullable Revocation revocation(String[] fields) {
        try {
            return fields[0].equals(MADE) || fields[0].equals(LIFTED)
                    ? new Revocation(RevocationTarget.valueOf(fields[1]), fields[2], Instant.parse(fields[3]))
                    : null;
        } catch (IllegalArgumentException | DateTimeException e) {
            return null;
        }
    }

    private static String line(String what, Revocation revocation) {
        String fields = String.join(
                "\t",
                what,
                revocation.target().name(),
                revocation.name(),
                revocation.before().toString());
        CRC32 checksum = new CRC32();
        checksum.update(fields.getBytes(StandardCharsets.ISO_8859_1));
        return fields + '\t' + Long.toHexString(checksum.getValue());
    }
}
