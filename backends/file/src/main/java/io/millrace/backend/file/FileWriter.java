package io.millrace.backend.file;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectRef;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Puts objects into files so that a reader sees the old one or the new one, whole, with its own headers.
 *
 * <p>The bytes go to a temporary file first, on the same file system. Then the metadata is announced, describing the new
 * content and still the old one, and then the file is renamed into its place: whichever content a reader meets, it finds that
 * one's headers. Nothing is forced to the disk. Where a file stands in the way of a folder ({@code a}, when {@code a/b} is
 * written), it is moved into that folder; for that moment its key is not found. Blocks on the disk; one change of the tree at
 * a time.
 */
final class FileWriter {
    private final Buckets buckets;
    private final MetadataStore metadata;
    private final Path root;
    private final AtomicLong temporaryFiles = new AtomicLong();
    private final String process =
            Long.toHexString(ProcessHandle.current().pid()) + "-" + Long.toHexString(System.nanoTime());

    /**
     * @param root the folder that holds the buckets, as an absolute path
     */
    FileWriter(Path root) {
        this.root = root;
        this.buckets = new Buckets(root);
        this.metadata = new MetadataStore(buckets.hidden());
    }

    void createBucket(BucketName name) throws IOException {
        Files.createDirectories(root.resolve(name.value()));
    }

    /** Stores all bytes of {@code body} as this object; what a reader is told of it from now on. */
    StoredContent write(ObjectRef object, HeaderList headers, InputStream body) throws IOException {
        Path bucket = buckets.folder(object.bucket());
        Path temporary = temporary(bucket);
        try {
            ETag tag = ETag.strong(copy(body, temporary));
            // Finer than the kernel's own clock for files, so that no two contents share a time.
            Files.setLastModifiedTime(temporary, FileTime.from(Instant.now()));
            FileStat file = FileStat.of(temporary);
            StoredContent content = new StoredContent(file.size(), file.modified(), tag, headers);
            publish(object, bucket, temporary, content);
            return content;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Deletes an object, and folders that it leaves empty. Deleting what is not there is nothing. */
    synchronized void delete(ObjectRef object) throws IOException {
        Path bucket = buckets.folder(object.bucket());
        Optional<ObjectFile> file = ObjectFile.find(bucket, object.key());
        if (file.isPresent()) {
            Files.delete(file.get().path());
            prune(bucket, FileNames.folderOf(file.get().path()));
        }
        metadata.forget(object);
    }

    private synchronized void publish(ObjectRef object, Path bucket, Path temporary, StoredContent content)
            throws IOException {
        KeyPath place = KeyPath.of(object.key());
        Path target = place.in(bucket);
        makeFolders(bucket, FileNames.folderOf(target));
        if (isFolder(target)) {
            target = target.resolve(Component.SELF);
        }
        Optional<FileStat> current =
                ObjectFile.look(bucket, target).map(ObjectFile::stat).filter(FileStat::isFile);
        metadata.announce(object, content, current, temporary(root));
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    }

    private void makeFolders(Path bucket, Path folder) throws IOException {
        Path step = bucket;
        for (Path name : bucket.relativize(folder)) {
            step = name.toString().isEmpty() ? step : step.resolve(name);
            if (isFolder(step)) {
                continue;
            }
            if (Files.exists(step, LinkOption.NOFOLLOW_LINKS)) {
                makeWay(bucket, step);
            } else {
                Files.createDirectory(step);
            }
        }
    }

    /** Turns the file {@code a} into the file {@code a/%%~}. */
    private void makeWay(Path bucket, Path file) throws IOException {
        if (!FileStat.of(file).isFile()) {
            throw new FileAlreadyExistsException(file.toString(), null, "neither a file nor a folder, and in the way");
        }
        Path folder = temporary(bucket);
        Files.createDirectory(folder);
        Files.createLink(folder.resolve(Component.SELF), file);
        Files.delete(file);
        Files.move(folder, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void prune(Path bucket, Path folder) throws IOException {
        try {
            for (Path step = folder; !step.equals(bucket); step = FileNames.folderOf(step)) {
                Files.delete(step);
            }
        } catch (DirectoryNotEmptyException | NoSuchFileException e) {
            // As far as it goes.
            return;
        }
    }

    private String copy(InputStream body, Path target) throws IOException {
        MessageDigest md5 = md5();
        try (OutputStream out = new DigestOutputStream(
                Files.newOutputStream(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), md5)) {
            body.transferTo(out);
        }
        return HexFormat.of().formatHex(md5.digest());
    }

    /** A name in the hidden folder, or, for a bucket that a link puts on another disk, in one at its top. */
    private Path temporary(Path bucket) throws IOException {
        Path hidden = buckets.hidden().resolve("tmp");
        Files.createDirectories(hidden);
        if (FileStat.of(hidden).device() != FileStat.of(bucket).device()) {
            hidden = bucket.resolve(Component.TEMPORARY);
            Files.createDirectories(hidden);
        }
        return hidden.resolve(process + "-" + temporaryFiles.incrementAndGet());
    }

    private static boolean isFolder(Path path) throws IOException {
        try {
            return FileStat.of(path).isFolder();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has MD5", e);
        }
    }
}
