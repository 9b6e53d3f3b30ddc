package io.millrace.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.backend.spi.BucketName;
import io.millrace.cache.InvalidatedPrefixes.Mark;
import io.millrace.cache.disk.ForcedFiles;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that keeps {@link InvalidatedPrefixes} through crashes: lines of text that are appended and forced one by one, and written
 * anew when many of them say nothing any more. Used by one thread at a time.
 *
 * <pre>
 * millrace invalidations 1
 * CRC32C of the rest of the line, hexadecimal · sequence number · backend · bucket · prefix
 * </pre>
 *
 * A tab stands between the fields, names are encoded as in a form; a line without names is one for everything. A last line without
 * its end was never acknowledged. Where another is damaged, everything that was known before this start is doubted; so it is where
 * the file is missing though it was there before.
 */
final class InvalidationLog implements AutoCloseable {
    static final String NAME = "cache-invalidations";

    private static final Logger log = LoggerFactory.getLogger(InvalidationLog.class);
    private static final String HEADING = "millrace invalidations ";
    private static final String FORMAT = "1";

    /** What a newer program writes in place of it. */
    private static final Pattern NEWER = Pattern.compile("[2-9]|[1-9][0-9]{1,8}");

    /** Bytes that are appended before the file is written anew. */
    private static final long SPARE_BYTES = 4 << 20;

    private final Path file;
    private final InvalidatedPrefixes prefixes;
    private FileChannel out;
    private long spare;
    private boolean damaged;

    private InvalidationLog(Path file, InvalidatedPrefixes prefixes, FileChannel out) {
        this.file = file;
        this.prefixes = prefixes;
        this.out = out;
    }

    /**
     * Reads what is in this folder, and goes on there.
     *
     * @param prefixes what is read is added here
     * @param expected whether the file was there in an earlier run
     * @param now the sequence number that all heads of this run are above
     * @throws IOException if it cannot be read or written, or is of a newer program
     */
    static InvalidationLog open(Path folder, InvalidatedPrefixes prefixes, boolean expected, long now)
            throws IOException {
        Files.createDirectories(folder);
        Path file = folder.resolve(NAME);
        if (Files.exists(file) ? !read(file, prefixes) : expected) {
            log.warn(
                    "{} is {}: everything that is cached is asked for once before it is used",
                    file,
                    Files.exists(file) ? "damaged" : "missing");
            prefixes.addEverything(now);
        }
        return new InvalidationLog(file, prefixes, rewritten(file, prefixes.all()));
    }

    /** Makes a mark, which is in the prefixes already, outlast a crash. */
    void append(Mark mark) throws IOException {
        if (damaged || spare >= SPARE_BYTES) {
            rewrite();
            return;
        }
        try {
            String line = line(mark);
            writeFully(out, line);
            out.force(false);
            spare += line.length();
        } catch (IOException e) {
            // Part of the line may be there, and whatever came behind it would be lost.
            damaged = true;
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    private void rewrite() throws IOException {
        FileChannel fresh = rewritten(file, prefixes.all());
        out.close();
        out = fresh;
        spare = 0;
        damaged = false;
    }

    private static FileChannel rewritten(Path file, List<Mark> marks) throws IOException {
        Path fresh = ForcedFiles.freshBeside(file);
        FileChannel out = ForcedFiles.create(fresh);
        try {
            writeFully(out, HEADING + FORMAT + "\n");
            for (Mark mark : marks) {
                writeFully(out, line(mark));
            }
            out.force(true);
            ForcedFiles.moveInto(file, fresh);
            return out;
        } catch (IOException e) {
            out.close();
            throw e;
        }
    }

    /** Whether all of it could be read. */
    private static boolean read(Path file, InvalidatedPrefixes prefixes) throws IOException {
        // Whatever bytes there are: damage must not look like a file that cannot be read.
        String text = Files.readString(file, ISO_8859_1);
        int end = text.indexOf('\n');
        String heading = end < 0 ? "" : text.substring(0, end);
        if (heading.startsWith(HEADING)
                && NEWER.matcher(heading.substring(HEADING.length())).matches()) {
            throw new IOException(
                    "%s was written by a newer Millrace: start that one, or remove the file and everything"
                                    .formatted(file)
                            + " that is cached is asked for once");
        }
        boolean whole = heading.equals(HEADING + FORMAT);
        for (int begin = end + 1; whole && begin < text.length(); begin = end + 1) {
            end = text.indexOf('\n', begin);
            if (end < 0) {
                break;
            }
            Optional<Mark> mark = parse(text.substring(begin, end));
            mark.ifPresent(known -> add(known, prefixes));
            whole = mark.isPresent();
        }
        return whole;
    }

    private static void add(Mark mark, InvalidatedPrefixes prefixes) {
        mark.below()
                .ifPresentOrElse(
                        below -> prefixes.add(below, mark.sequence()), () -> prefixes.addEverything(mark.sequence()));
    }

    private static Optional<Mark> parse(String line) {
        String[] fields = line.split("\t", -1);
        if (fields.length != 5 || !fields[0].equals(checksum(line.substring(line.indexOf('\t') + 1)))) {
            return Optional.empty();
        }
        try {
            Optional<ObjectPrefix> below = fields[2].isEmpty()
                    ? Optional.empty()
                    : Optional.of(new ObjectPrefix(
                            URLDecoder.decode(fields[2], UTF_8),
                            new BucketName(URLDecoder.decode(fields[3], UTF_8)),
                            URLDecoder.decode(fields[4], UTF_8)));
            return Optional.of(new Mark(below, Long.parseLong(fields[1])));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static String line(Mark mark) {
        String rest = "%d\t%s\t%s\t%s"
                .formatted(
                        mark.sequence(),
                        field(mark.below().map(ObjectPrefix::backend)),
                        field(mark.below().map(below -> below.bucket().value())),
                        field(mark.below().map(ObjectPrefix::prefix)));
        return checksum(rest) + '\t' + rest + '\n';
    }

    private static String field(Optional<String> text) {
        return text.map(named -> URLEncoder.encode(named, UTF_8)).orElse("");
    }

    private static String checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(ISO_8859_1));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private static void writeFully(FileChannel out, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(ISO_8859_1));
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
    }
}
