package io.millrace.backend.file;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * A part as a file of its own: its bytes, behind them what is known of it, as the text of an object's metadata, and the length
 * of that text in eight hexadecimal digits. So a part with all that belongs to it is replaced by one rename.
 *
 * @param content the size, tag, time and checksums of the part
 */
record PartFile(int number, Path path, StoredContent content) {
    private static final int LENGTH_DIGITS = 8;

    /** Longer than any such text: key, tag, time and a few checksums. */
    private static final int LONGEST_TEXT = 16 << 10;

    /** The name of a part's file. */
    static String name(int number) {
        return "%05d".formatted(number);
    }

    /** The number a file's name says; empty if it is no part's. */
    static Optional<Integer> number(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.matches("[0-9]{5}") ? Optional.of(Integer.parseInt(name)) : Optional.empty();
    }

    /** Ends the file of a part whose bytes are in it. */
    static void seal(TemporaryFile file, ObjectKey key, StoredContent content) throws IOException {
        String text = MetadataText.write(key, List.of(content));
        String sealed = text + "%08x".formatted(text.length());
        file.append(ByteBuffer.wrap(sealed.getBytes(StandardCharsets.US_ASCII)));
        file.finish(content.modified());
    }

    /** What lies in this file of an upload; empty if none does, or it is not whole. */
    static Optional<PartFile> read(ObjectRef object, int number, Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return content(channel, object).map(content -> new PartFile(number, path, content));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Appends the bytes of this very part; false if another has taken its place, or none. */
    boolean appendTo(TemporaryFile target, ObjectRef object) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            if (!content(channel, object).equals(Optional.of(content))) {
                return false;
            }
            target.append(channel, 0, content.size());
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Its checksums. */
    HeaderList sums() {
        return content.headers();
    }

    ListedPart listed() {
        return new ListedPart(
                number,
                content.tag(),
                content.size(),
                content.modified().truncatedTo(ChronoUnit.SECONDS),
                content.headers());
    }

    private static Optional<StoredContent> content(FileChannel channel, ObjectRef object) throws IOException {
        long end = channel.size() - LENGTH_DIGITS;
        if (end < 0) {
            return Optional.empty();
        }
        try {
            int length = Integer.parseInt(read(channel, end, LENGTH_DIGITS), 16);
            if (length > Math.min(end, LONGEST_TEXT)) {
                return Optional.empty();
            }
            return MetadataText.read(read(channel, end - length, length), object.key()).stream()
                    .filter(content -> content.size() == end - length)
                    .findFirst();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static String read(FileChannel channel, long position, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()) {
            if (channel.read(bytes, position + bytes.position()) < 0) {
                throw new IOException("a file became shorter");
            }
        }
        return new String(bytes.array(), StandardCharsets.US_ASCII);
    }
}
