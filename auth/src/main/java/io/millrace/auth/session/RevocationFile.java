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
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * File of decisions on revocations: a line for each, with its checksum, synced before it is acknowledged.
 * Blocks; for one thread.
 */
final class RevocationFile implements Closeable {
    private static final String HEAD = "# Written by Millrace. 'millrace revoke' adds and lifts revocations.";
    private static final String MADE = "revoked";
    private static final String LIFTED = "lifted";
    private static final int FIELDS = 5;

    /** With the time of a decision, where it is not that before which credentials are refused. */
    private static final int MOST_FIELDS = 6;

    private final FileChannel channel;

    private RevocationFile(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Opens the file, and creates it if there is none. An unfinished last line, which was never acknowledged, and what
     * a later one decides otherwise are removed from it.
     *
     * @param kept whether a decision is still of use; others are removed too
     * @param found takes the decisions that hold
     * @throws IOException if the file cannot be read or written, or if a finished line is damaged: what it revoked is
     *     unknown
     */
    static RevocationFile open(Path path, Predicate<RevocationDecision> kept, Consumer<List<RevocationDecision>> found)
            throws IOException {
        String text = Files.exists(path) ? Files.readString(path, StandardCharsets.ISO_8859_1) : "";
        Map<String, RevocationDecision> all = new LinkedHashMap<>();
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
        found.accept(List.copyOf(all.values()));
        if (start < text.length() || lines != all.size() + 1) {
            List<String> fresh = new ArrayList<>(List.of(HEAD));
            all.values().forEach(decision -> fresh.add(line(decision)));
            PrivateFile.write(path, fresh);
        }
        return new RevocationFile(PrivateFile.open(path));
    }

    /** Appends decisions durably. */
    void append(List<RevocationDecision> decisions) throws IOException {
        append(decisions.stream().map(decision -> line(decision) + '\n').collect(Collectors.joining()));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void append(String lines) throws IOException {
        long start = channel.size();
        channel.position(start);
        try {
            for (ByteBuffer rest = StandardCharsets.ISO_8859_1.encode(lines); rest.hasRemaining(); ) {
                channel.write(rest);
            }
            channel.force(true);
        } catch (IOException e) {
            // A full file system takes a part of a line, which the next line would continue.
            channel.truncate(start);
            throw e;
        }
    }

    private static void apply(String line, int number, Map<String, RevocationDecision> found) throws IOException {
        String[] fields = line.split("\t", -1);
        RevocationDecision read = fields.length == FIELDS || fields.length == MOST_FIELDS ? decision(fields) : null;
        if (read == null || !line.equals(line(read))) {
            throw new IOException(
                    "line %d is damaged. Without it credentials may be valid that were revoked: remove it, "
                                    .formatted(number)
                            + "and revoke again what it names");
        }
        RevocationDecision known = found.get(read.key());
        // A line without a time of its own was decided after those before it, also if it has an earlier time.
        RevocationDecision decision =
                fields.length == FIELDS && known != null && known.at().isAfter(read.at())
                        ? read.after(Optional.of(known))
                        : read;
        found.merge(decision.key(), decision, RevocationDecision::and);
    }

    private static @Nullable RevocationDecision decision(String[] fields) {
        try {
            Instant time = Instant.parse(fields[3]);
            return new RevocationDecision(
                    RevocationTarget.valueOf(fields[1]),
                    fields[2],
                    fields[0].equals(MADE) ? Optional.of(time) : Optional.empty(),
                    fields.length == FIELDS ? time : Instant.parse(fields[4]));
        } catch (IllegalArgumentException | DateTimeException e) {
            return null;
        }
    }

    private static String line(RevocationDecision decision) {
        Instant time = decision.before().orElse(decision.at());
        List<String> parts = new ArrayList<>(List.of(
                decision.isLifted() ? LIFTED : MADE, decision.target().name(), decision.name(), time.toString()));
        if (!decision.at().equals(time)) {
            parts.add(decision.at().toString());
        }
        String fields = String.join("\t", parts);
        CRC32 checksum = new CRC32();
        checksum.update(fields.getBytes(StandardCharsets.ISO_8859_1));
        return fields + '\t' + Long.toHexString(checksum.getValue());
    }
}
