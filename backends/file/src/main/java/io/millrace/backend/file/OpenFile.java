package io.millrace.backend.file;

import io.millrace.backend.spi.ObjectRef;
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
 * A file that is being read, and the watch over it: what {@link #read} hands out are bytes of the version that was opened,
 * or it fails. It looks at the file behind every read, since a file that somebody writes into while it is read gives a mixture
 * of both, and whoever keeps blocks keeps them before the end has come. Used by one thread at a time.
 */
final class OpenFile {
    private final ObjectRef object;
    private final FileChannel channel;
    private final BasicFileAttributes opened;
    private final AtomicInteger openFiles;
    private Path watched;

    private OpenFile(
            ObjectRef object, Path path, FileChannel channel, BasicFileAttributes opened, AtomicInteger openFiles) {
        this.object = object;
        this.watched = path;
        this.channel = channel;
        this.opened = opened;
        this.openFiles = openFiles;
        openFiles.incrementAndGet();
    }

    /**
     * Opens the file as it was looked at; the caller closes it. Empty if another is there by now, or none.
     *
     * @param openFiles counts what is open
     */
    static Optional<OpenFile> open(ObjectRef object, ObjectFile file, AtomicInteger openFiles) throws IOException {
        try {
            FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            try {
                // Java cannot ask an open file about itself; if the path leads to the same before and after, it was
                // that.
                BasicFileAttributes now = attributes(file.path());
                if (FileStat.of(file.path()).equals(file.stat())) {
                    return Optional.of(new OpenFile(object, file.path(), channel, now, openFiles));
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

    /** {@code length} bytes from {@code position} on; the caller releases them. */
    ByteBuf read(long position, int length) throws IOException {
        ByteBuf piece = ByteBufAllocator.DEFAULT.directBuffer(length, length);
        try {
            while (piece.isWritable()) {
                if (piece.writeBytes(channel, position + piece.writerIndex(), piece.writableBytes()) < 0) {
                    throw FileErrors.changed(object);
                }
            }
            verify();
            return piece;
        } catch (IOException | RuntimeException e) {
            piece.release();
            throw e;
        }
    }

    /** Appends {@code length} bytes to another file, inside the kernel where it can. Whatever fails, some may be there then. */
    void appendTo(TemporaryFile target, long position, long length) throws IOException {
        target.append(channel, position, length);
        verify();
    }

    /** The same through this process, so that the other file's digests see them. */
    void digestInto(TemporaryFile target, long position, long length) throws IOException {
        for (long done = 0; done < length; ) {
            ByteBuf piece = read(position + done, (int) Math.min(FileBody.PIECE, length - done));
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
        @Nullable BasicFileAttributes now = find();
        if (now == null
                || now.size() != opened.size()
                || !now.lastModifiedTime().equals(opened.lastModifiedTime())) {
            throw FileErrors.changed(object);
        }
    }

    /** The attributes of the open file, by the way it was last seen, or by another. */
    private @Nullable BasicFileAttributes find() throws IOException {
        @Nullable BasicFileAttributes now = here(watched);
        if (now == null) {
            // Replaced or deleted: what is open still is what it was, and can be reached as an open file of ours.
            Optional<Path> descriptor = Descriptors.of(opened);
            if (descriptor.isPresent()) {
                watched = descriptor.get();
                now = here(watched);
            }
        }
        return now;
    }

    private @Nullable BasicFileAttributes here(Path path) throws IOException {
        try {
            BasicFileAttributes found = attributes(path);
            Object key = opened.fileKey();
            return key != null && key.equals(found.fileKey()) ? found : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static BasicFileAttributes attributes(Path path) throws IOException {
        return path.startsWith(Descriptors.FOLDER)
                ? Files.readAttributes(path, BasicFileAttributes.class)
                : Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }
}
