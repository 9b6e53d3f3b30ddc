package io.millrace.backend.file;

import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
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
 * A file that stores one part of a multipart upload: its bytes, then its metadata as text, then the length of that
 * text. The text has the format of an object's metadata; its length is eight hexadecimal digits. So one rename replaces
 * a part with its metadata.
 *
 * @param content the size, ETag, time and checksums of the part
 */
record PartFile(int number, Path path, StoredContentMetadata content) {
    private static final int LENGTH_DIGITS = 8;

    /** Upper bound of the metadata text in bytes. */
    private static final int LONGEST_TEXT = 16 << 10;

    /** Returns the file name of a part. */
    static String name(int number) {
        return "%05d".formatted(number);
    }

    /** Returns the part number of a file name; empty if the file is no part. */
    static Optional<Integer> number(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.matches("[0-9]{5}") ? Optional.of(Integer.parseInt(name)) : Optional.empty();
    }

    /** Appends the metadata to a file that holds the bytes of a part, and finishes it. */
    static void seal(DigestingTemporaryFile file, ObjectKey key, StoredContentMetadata content) throws IOException {
        String text = MetadataFileFormat.write(key, List.of(content));
        String sealed = text + "%08x".formatted(text.length());
        file.append(ByteBuffer.wrap(sealed.getBytes(StandardCharsets.US_ASCII)));
        file.syncAndClose(content.modified());
    }

    /** Reads the metadata of a part file; empty if the file is missing or incomplete. */
    static Optional<PartFile> read(ObjectRef object, int number, Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return content(channel, object).map(content -> new PartFile(number, path, content));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Appends the bytes of this part to another file; false if the part was replaced or deleted. */
    boolean appendTo(DigestingTemporaryFile target, ObjectRef object) throws IOException {
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

    ListedPart listed() {
        return new ListedPart(
                number,
                content.tag(),
                content.size(),
                content.modified().truncatedTo(ChronoUnit.SECONDS),
                content.headers());
    }

    private static Optional<StoredContentMetadata> content(FileChannel channel, ObjectRef object) throws IOException {
        long end = channel.size() - LENGTH_DIGITS;
        if (end < 0) {
            return Optional.empty();
        }
        try {
            int length = Integer.parseInt(read(channel, end, LENGTH_DIGITS), 16);
            if (length > Math.min(end, LONGEST_TEXT)) {
                return Optional.empty();
            }
            return MetadataFileFormat.read(read(channel, end - length, length), object.key()).stream()
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
