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
 * An unfinished file that computes digests of what is written to it. Invisible to clients until it is renamed; its
 * creator discards it in the end, which does nothing to a renamed file. For one thread at a time; blocks on the disk.
 */
final class DigestingTemporaryFile {
    /**
     * Bytes after which the file is synced, so that the final sync, for which the client waits, is short for any size.
     */
    private static final long SYNC_INTERVAL = 64L << 20;

    private final Path path;
    private final FileChannel channel;
    private final AtomicInteger openFiles;
    private final HashDigest md5 = HashDigest.of("MD5");
    private final Optional<ChecksumDigest> checksum;
    private long size;
    private long synced;
    private boolean closed;

    private DigestingTemporaryFile(
            Path path, FileChannel channel, Optional<ChecksumAlgorithm> sum, AtomicInteger openFiles) {
        this.path = path;
        this.channel = channel;
        this.openFiles = openFiles;
        this.checksum = sum.map(ChecksumAlgorithm::newDigest);
        openFiles.incrementAndGet();
    }

    /**
     * Creates and opens the file.
     *
     * @param sum a checksum to compute besides the MD5
     * @param openFiles counts open files
     */
    static DigestingTemporaryFile create(Path path, Optional<ChecksumAlgorithm> sum, AtomicInteger openFiles)
            throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new DigestingTemporaryFile(path, channel, sum, openFiles);
    }

    Path path() {
        return path;
    }

    long size() {
        return size;
    }

    /** Appends the piece and adds it to the digests; the caller still owns it. */
    void write(ByteBuf piece) throws IOException {
        for (ByteBuffer bytes : piece.nioBuffers()) {
            md5.update(bytes.duplicate());
            checksum.ifPresent(running -> running.update(bytes.duplicate()));
            append(bytes);
        }
    }

    /** Appends bytes without adding them to the digests. */
    void append(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            countWritten(channel.write(bytes));
        }
    }

    /** Appends bytes of another file inside the kernel, without adding them to the digests. */
    void append(FileChannel source, long first, long length) throws IOException {
        for (long done = 0; done < length; ) {
            long moved = source.transferTo(first + done, Math.min(SYNC_INTERVAL, length - done), channel);
            if (moved <= 0) {
                throw new IOException("a file ended %d bytes early".formatted(length - done));
            }
            countWritten(moved);
            done += moved;
        }
    }

    /** Returns the MD5 of the digested bytes; called once. */
    byte[] md5() {
        return md5.bytes();
    }

    /** Returns the MD5 in hexadecimal, the form of an ETag; called once. */
    String md5Hex() {
        return HexFormat.of().formatHex(md5());
    }

    /** Returns the requested checksum; called once. */
    Optional<byte[]> checksum() {
        return checksum.map(ChecksumDigest::bytes);
    }

    /** Syncs the file with this modification time, and closes it. */
    void syncAndClose(Instant modified) throws IOException {
        Files.setLastModifiedTime(path, FileTime.from(modified));
        channel.force(true);
        close();
    }

    /** Closes it, and deletes it if it still has its name. */
    void discard() {
        close();
        TemporaryPaths.discard(path);
    }

    private void countWritten(long bytes) throws IOException {
        size += bytes;
        if (size - synced >= SYNC_INTERVAL) {
            channel.force(false);
            synced = size;
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
            // The bytes to keep are synced already.
        }
    }
}
