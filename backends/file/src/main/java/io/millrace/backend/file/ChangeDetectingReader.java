package io.millrace.backend.file;

import io.millrace.backend.spi.object.ObjectRef;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Reads an open file and throws if the file is changed meanwhile. Checks the file after every read, because a file that
 * is written to while it is read yields a mixture of both versions, and a cache keeps blocks before the end is reached.
 * For one thread at a time.
 */
final class ChangeDetectingReader {
    private final ObjectRef object;
    private final FileChannel channel;
    private final BasicFileAttributes opened;
    private final AtomicInteger openFiles;
    private Path watched;

    private ChangeDetectingReader(
            ObjectRef object, Path path, FileChannel channel, BasicFileAttributes opened, AtomicInteger openFiles) {
        this.object = object;
        this.watched = path;
        this.channel = channel;
        this.opened = opened;
        this.openFiles = openFiles;
        openFiles.incrementAndGet();
    }

    /**
     * Opens a file that was found; the caller closes it. Empty if it was replaced or deleted since.
     *
     * @param openFiles counts open files
     */
    static Optional<ChangeDetectingReader> open(ObjectRef object, ObjectFile file, AtomicInteger openFiles)
            throws IOException {
        try {
            FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            try {
                // Java cannot ask an open file about itself; if the path leads to the same before and after, it was
                // that.
                BasicFileAttributes now = attributes(file.path());
                if (FileStat.of(file.path()).equals(file.stat())) {
                    return Optional.of(new ChangeDetectingReader(object, file.path(), channel, now, openFiles));
                }
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
            channel.close();
            return Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Returns the object that the file holds. */
    ObjectRef object() {
        return object;
    }

    /** Returns {@code length} bytes from {@code position}; the caller releases them. */
    ByteBuf read(long position, int length) throws IOException {
        ByteBuf piece = ByteBufAllocator.DEFAULT.directBuffer(length, length);
        try {
            while (piece.isWritable()) {
                if (piece.writeBytes(channel, position + piece.writerIndex(), piece.writableBytes()) < 0) {
                    throw FileErrorMapper.changed(object);
                }
            }
            verify();
            return piece;
        } catch (IOException | RuntimeException e) {
            piece.release();
            throw e;
        }
    }

    /**
     * Appends {@code length} bytes to another file, inside the kernel where possible. After a failure some of them may
     * have been appended.
     */
    void appendTo(DigestingTemporaryFile target, long position, long length) throws IOException {
        target.append(channel, position, length);
        verify();
    }

    /** Appends {@code length} bytes to another file and adds them to its digests. */
    void digestInto(DigestingTemporaryFile target, long position, long length) throws IOException {
        for (long done = 0; done < length; ) {
            ByteBuf piece = read(position + done, (int) Math.min(FileBodyPublisher.PIECE, length - done));
            try {
                done += piece.readableBytes();
                target.write(piece);
            } finally {
                piece.release();
            }
        }
    }

    void close() {
        openFiles.decrementAndGet();
        try {
            channel.close();
        } catch (IOException ignored) {
            // Nothing was written, so there is nothing to lose.
        }
    }

    private void verify() throws IOException {
        @Nullable BasicFileAttributes now = currentAttributes();
        if (now == null
                || now.size() != opened.size()
                || !now.lastModifiedTime().equals(opened.lastModifiedTime())) {
            throw FileErrorMapper.changed(object);
        }
    }

    /** Returns the attributes of the open file; null if it cannot be found any more. */
    private @Nullable BasicFileAttributes currentAttributes() throws IOException {
        @Nullable BasicFileAttributes now = attributesIfSame(watched);
        while (now == null) {
            // Replaced or deleted: what is open still is what it was, and can be reached as an open file of ours.
            Optional<Path> descriptor = ProcOpenFileFinder.find(opened);
            if (descriptor.isEmpty()) {
                return null;
            }
            // It may be another reader's, who has closed it by now; ours is open, so there is one to be found.
            watched = descriptor.get();
            now = attributesIfSame(watched);
        }
        return now;
    }

    private @Nullable BasicFileAttributes attributesIfSame(Path path) throws IOException {
        try {
            BasicFileAttributes found = attributes(path);
            Object key = opened.fileKey();
            return key != null && key.equals(found.fileKey()) ? found : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static BasicFileAttributes attributes(Path path) throws IOException {
        return path.startsWith(ProcOpenFileFinder.FOLDER)
                ? Files.readAttributes(path, BasicFileAttributes.class)
                : Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }
}
