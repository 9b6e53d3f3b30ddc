package io.millrace.backend.file;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.checksum.HashDigest;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file that is being written, with the digests of what went into it. Nobody sees it until it is renamed; whoever makes one
 * discards it in the end, which does nothing to a file that was renamed. Used by one thread at a time; blocks on the disk.
 */
final class TemporaryFile {
    /**
     * Bytes behind which the disk is waited for: so that the last wait, for which a client waits as well, is short whatever the
     * size.
     */
    private static final long STRIDE = 64L << 20;

    private final Path path;
    private final FileChannel channel;
    private final AtomicInteger openFiles;
    private final HashDigest md5 = HashDigest.of("MD5");
    private final Optional<ChecksumDigest> sum;
    private long size;
    private long forced;
    private boolean closed;

    private TemporaryFile(Path path, FileChannel channel, Optional<ChecksumAlgorithm> sum, AtomicInteger openFiles) {
        this.path = path;
        this.channel = channel;
        this.openFiles = openFiles;
        this.sum = sum.map(ChecksumAlgorithm::newDigest);
        openFiles.incrementAndGet();
    }

    /**
     * @param sum a checksum to compute besides
     * @param openFiles counts what is open
     */
    static TemporaryFile create(Path path, Optional<ChecksumAlgorithm> sum, AtomicInteger openFiles)
            throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new TemporaryFile(path, channel, sum, openFiles);
    }

    Path path() {
        return path;
    }

    long size() {
        return size;
    }

    /** Appends the piece and digests it; the caller still owns it. */
    void write(ByteBuf piece) throws IOException {
        for (ByteBuffer bytes : piece.nioBuffers()) {
            md5.update(bytes.duplicate());
            sum.ifPresent(running -> running.update(bytes.duplicate()));
            append(bytes);
        }
    }

    /** Appends bytes that are not digested. */
    void append(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            wrote(channel.write(bytes));
        }
    }

    /** Appends bytes of another file inside the kernel; they are not digested. */
    void append(FileChannel source, long first, long length) throws IOException {
        for (long done = 0; done < length; ) {
            long moved = source.transferTo(first + done, Math.min(STRIDE, length - done), channel);
            if (moved <= 0) {
                throw new IOException("a file ended %d bytes early".formatted(length - done));
            }
            wrote(moved);
            done += moved;
        }
    }

    /** The MD5 of what was digested; called once. */
    byte[] md5() {
        return md5.bytes();
    }

    /** The same as hexadecimal digits, which is what a tag is. */
    String md5Hex() {
        return HexFormat.of().formatHex(md5());
    }

    /** The checksum that was asked for; called once. */
    Optional<byte[]> sum() {
        return sum.map(ChecksumDigest::bytes);
    }

    /** Returns when the bytes and the time are on the disk, and closes the file. */
    void finish(Instant modified) throws IOException {
        Files.setLastModifiedTime(path, FileTime.from(modified));
        channel.force(true);
        close();
    }

    /** Closes it, and deletes it if it still has its name. */
    void discard() {
        close();
        Temporaries.discard(path);
    }

    private void wrote(long bytes) throws IOException {
        size += bytes;
        if (size - forced >= STRIDE) {
            channel.force(false);
            forced = size;
        }
    }

    private void close() {
        if (closed) {
            return;
        }
        closed = true;
        openFiles.decrementAndGet();
        try {
            channel.close();
        } catch (IOException ignored) {
            // What was to be kept has been forced.
        }
    }
}
