package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Stores multipart uploads in progress in {@code .millrace/uploads/<bucket>/<id>/}: the file {@code upload} with the
 * request that created it, and a {@link PartFile} for each part. An upload that ends is renamed away as a whole. Blocks
 * on the disk.
 */
final class UploadStore {
    private static final String UPLOAD_FILE = "upload";
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final int STRIPES = 256;

    private final BucketFolders buckets;
    private final TemporaryPaths temporaries;
    private final SecureRandom random = new SecureRandom();
    /** Read lock: a part is added. Write lock: the upload ends. Uploads share locks by their hash. */
    private final ReentrantReadWriteLock[] locks = IntStream.range(0, STRIPES)
            .mapToObj(i -> new ReentrantReadWriteLock())
            .toArray(ReentrantReadWriteLock[]::new);

    UploadStore(BucketFolders buckets, TemporaryPaths temporaries) {
        this.buckets = buckets;
        this.temporaries = temporaries;
    }

    /** Returns the folder of a bucket's uploads. */
    static Path folder(Path hidden, BucketName bucket) {
        return hidden.resolve("uploads").resolve(bucket.value());
    }

    StoredUpload create(ObjectRef object, HeaderList headers) throws IOException {
        buckets.folder(object.bucket());
        StoredUpload info = new StoredUpload(object, newId(), Instant.now(), headers);
        Path made = temporaries.newPath();
        try {
            Files.createDirectory(made);
            DurableFiles.writeNew(made.resolve(UPLOAD_FILE), info.toText());
            DurableFiles.syncFolder(made);
            Path place = folder(info.upload());
            DurableFolders.create(Utf8FileNames.parentOf(place));
            Files.move(made, place, StandardCopyOption.ATOMIC_MOVE);
            DurableFiles.syncFolder(Utf8FileNames.parentOf(place));
        } finally {
            TemporaryPaths.discard(made);
        }
        return info;
    }

    /**
     * Returns an upload.
     *
     * @throws BackendException of kind {@link FailureKind#NO_SUCH_UPLOAD} if there is none
     */
    StoredUpload find(MultipartUpload upload) throws IOException {
        buckets.folder(upload.object().bucket());
        return read(folder(upload), upload.object()).orElseThrow(() -> noSuchUpload(upload));
    }

    /** Returns all uploads of a bucket, by key and then id. */
    List<StoredUpload> list(BucketName bucket) throws IOException {
        buckets.folder(bucket);
        List<StoredUpload> all = new ArrayList<>();
        for (Path folder : entries(folder(buckets.hiddenFolder(), bucket))) {
            text(folder).flatMap(text -> info(bucket, text)).ifPresent(all::add);
        }
        all.sort(
                Comparator.comparing((StoredUpload info) -> info.object().key()).thenComparing(StoredUpload::id));
        return all;
    }

    /**
     * Returns the parts of an upload by number.
     *
     * @param after the number after which they begin
     * @param limit maximum number of parts
     */
    List<PartFile> parts(StoredUpload info, int after, int limit) throws IOException {
        List<Integer> numbers = entries(folder(info.upload())).stream()
                .flatMap(file -> PartFile.number(file).stream())
                .filter(number -> number > after)
                .sorted()
                .limit(limit)
                .toList();
        List<PartFile> parts = new ArrayList<>();
        for (int number : numbers) {
            part(info, number).ifPresent(parts::add);
        }
        return parts;
    }

    Optional<PartFile> part(StoredUpload info, int number) throws IOException {
        return PartFile.read(info.object(), number, folder(info.upload()).resolve(PartFile.name(number)));
    }

    /** Adds a finished part and replaces an earlier one of that number. */
    void placePart(MultipartUpload upload, int number, Path file) throws IOException {
        Path folder = folder(upload);
        ReentrantReadWriteLock.ReadLock lock = lock(upload).readLock();
        lock.lock();
        try {
            Files.move(file, folder.resolve(PartFile.name(number)), StandardCopyOption.ATOMIC_MOVE);
            DurableFiles.syncFolder(folder);
        } catch (NoSuchFileException e) {
            throw noSuchUpload(upload);
        } finally {
            lock.unlock();
        }
    }

    /** Aborts an upload. */
    void abort(MultipartUpload upload) throws IOException {
        Path deleted = withExclusiveLock(upload, () -> {
            find(upload);
            return moveToTemporary(upload);
        });
        TemporaryPaths.discard(deleted);
    }

    /** Runs the last step of an upload under its lock: no other thread ends it meanwhile, and no part is added. */
    <T> T withExclusiveLock(MultipartUpload upload, WriteLocks.LockedAction<T> step) throws IOException {
        ReentrantReadWriteLock.WriteLock lock = lock(upload).writeLock();
        lock.lock();
        try {
            return step.execute();
        } finally {
            lock.unlock();
        }
    }

    /** Moves an ended upload to a temporary path, which the caller discards. */
    Path moveToTemporary(MultipartUpload upload) throws IOException {
        Path folder = folder(upload);
        Path deleted = Files.move(folder, temporaries.newPath(), StandardCopyOption.ATOMIC_MOVE);
        DurableFiles.syncFolder(Utf8FileNames.parentOf(folder));
        return deleted;
    }

    /**
     * Returns the folder of an upload, which may not exist.
     *
     * @throws BackendException of kind {@link FailureKind#NO_SUCH_UPLOAD} if the id is malformed: it becomes part of a
     *     path
     */
    Path folder(MultipartUpload upload) {
        if (!ID.matcher(upload.uploadId()).matches()) {
            throw noSuchUpload(upload);
        }
        return folder(buckets.hiddenFolder(), upload.object().bucket()).resolve(upload.uploadId());
    }

    static BackendException noSuchUpload(MultipartUpload upload) {
        return new BackendException(
                FailureKind.NO_SUCH_UPLOAD, "no upload %s of %s".formatted(upload.uploadId(), upload.object()));
    }

    private static Optional<StoredUpload> info(BucketName bucket, String text) {
        Optional<ObjectKey> key = MetadataFileFormat.key(text);
        return key.flatMap(known -> StoredUpload.parse(text, new ObjectRef(bucket, known)));
    }

    private Optional<StoredUpload> read(Path folder, ObjectRef object) throws IOException {
        return text(folder).flatMap(text -> StoredUpload.parse(text, object));
    }

    private static Optional<String> text(Path folder) throws IOException {
        try {
            return Optional.of(Files.readString(folder.resolve(UPLOAD_FILE), StandardCharsets.ISO_8859_1));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static List<Path> entries(Path folder) throws IOException {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
            stream.forEach(entries::add);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return entries;
    }

    private ReentrantReadWriteLock lock(MultipartUpload upload) {
        return locks[Math.floorMod(upload.uploadId().hashCode(), STRIPES)];
    }

    /** Returns an id that sorts after earlier ones. */
    private String newId() {
        byte[] bytes = new byte[10];
        random.nextBytes(bytes);
        return "%012x".formatted(System.currentTimeMillis()) + HexFormat.of().formatHex(bytes);
    }
}
