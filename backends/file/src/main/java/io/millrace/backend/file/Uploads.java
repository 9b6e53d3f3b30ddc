package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
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
 * The uploads that are under way, on the disk: {@code .millrace/uploads/<bucket>/<id>/}, in it the file {@code upload} with what
 * was said at the beginning, and a {@link PartFile} for each part. An upload that ends is renamed away as a whole. Blocks on
 * the disk.
 */
final class Uploads {
    private static final String ABOUT = "upload";
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final int STRIPES = 256;

    private final BucketFolders buckets;
    private final Temporaries temporaries;
    private final SecureRandom random = new SecureRandom();
    /** Read: a part takes its place. Write: the upload ends. Uploads share them by their hash. */
    private final ReentrantReadWriteLock[] locks = IntStream.range(0, STRIPES)
            .mapToObj(i -> new ReentrantReadWriteLock())
            .toArray(ReentrantReadWriteLock[]::new);

    Uploads(BucketFolders buckets, Temporaries temporaries) {
        this.buckets = buckets;
        this.temporaries = temporaries;
    }

    /** Where the uploads of a bucket lie. */
    static Path folder(Path hidden, BucketName bucket) {
        return hidden.resolve("uploads").resolve(bucket.value());
    }

    UploadInfo begin(ObjectRef object, HeaderList headers) throws IOException {
        buckets.folder(object.bucket());
        UploadInfo info = new UploadInfo(object, newId(), Instant.now(), headers);
        Path made = temporaries.next();
        try {
            Files.createDirectory(made);
            Folders.writeText(made.resolve(ABOUT), info.text());
            Folders.force(made);
            Path place = folder(info.upload());
            Folders.make(FileNames.folderOf(place));
            Files.move(made, place, StandardCopyOption.ATOMIC_MOVE);
            Folders.force(FileNames.folderOf(place));
        } finally {
            Temporaries.discard(made);
        }
        return info;
    }

    /**
     * @throws BackendException of kind {@link Kind#NO_SUCH_UPLOAD} if there is none
     */
    UploadInfo find(Upload upload) throws IOException {
        buckets.folder(upload.object().bucket());
        return read(folder(upload), upload.object()).orElseThrow(() -> noSuch(upload));
    }

    /** All of a bucket's, by key and then id. */
    List<UploadInfo> all(BucketName bucket) throws IOException {
        buckets.folder(bucket);
        List<UploadInfo> all = new ArrayList<>();
        for (Path folder : entries(folder(buckets.hidden(), bucket))) {
            text(folder).flatMap(text -> info(bucket, text)).ifPresent(all::add);
        }
        all.sort(Comparator.comparing((UploadInfo info) -> info.object().key()).thenComparing(UploadInfo::id));
        return all;
    }

    /**
     * The parts of an upload, by number.
     *
     * @param after the number behind which they begin
     * @param limit how many at most
     */
    List<PartFile> parts(UploadInfo info, int after, int limit) throws IOException {
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

    Optional<PartFile> part(UploadInfo info, int number) throws IOException {
        return PartFile.read(info.object(), number, folder(info.upload()).resolve(PartFile.name(number)));
    }

    /** Puts a finished part into its place, over an earlier one. */
    void place(Upload upload, int number, Path file) throws IOException {
        Path folder = folder(upload);
        ReentrantReadWriteLock.ReadLock lock = lock(upload).readLock();
        lock.lock();
        try {
            Files.move(file, folder.resolve(PartFile.name(number)), StandardCopyOption.ATOMIC_MOVE);
            Folders.force(folder);
        } catch (NoSuchFileException e) {
            throw noSuch(upload);
        } finally {
            lock.unlock();
        }
    }

    /** Gives an upload up. */
    void abort(Upload upload) throws IOException {
        Path gone = ending(upload, () -> {
            find(upload);
            return setAside(upload);
        });
        Temporaries.discard(gone);
    }

    /** Runs the last step of an upload: nobody else ends it meanwhile, and no part takes its place. */
    <T> T ending(Upload upload, WriteLocks.Step<T> step) throws IOException {
        ReentrantReadWriteLock.WriteLock lock = lock(upload).writeLock();
        lock.lock();
        try {
            return step.run();
        } finally {
            lock.unlock();
        }
    }

    /** Takes its place from an upload; what is left of it is the caller's to discard. */
    Path setAside(Upload upload) throws IOException {
        Path folder = folder(upload);
        Path gone = Files.move(folder, temporaries.next(), StandardCopyOption.ATOMIC_MOVE);
        Folders.force(FileNames.folderOf(folder));
        return gone;
    }

    /**
     * Where an upload lies, if it does.
     *
     * @throws BackendException of kind {@link Kind#NO_SUCH_UPLOAD} if its id is none of ours: an id is part of a path
     */
    Path folder(Upload upload) {
        if (!ID.matcher(upload.uploadId()).matches()) {
            throw noSuch(upload);
        }
        return folder(buckets.hidden(), upload.object().bucket()).resolve(upload.uploadId());
    }

    static BackendException noSuch(Upload upload) {
        return new BackendException(
                Kind.NO_SUCH_UPLOAD, "no upload %s of %s".formatted(upload.uploadId(), upload.object()));
    }

    private static Optional<UploadInfo> info(BucketName bucket, String text) {
        Optional<ObjectKey> key = MetadataText.key(text);
        return key.flatMap(known -> UploadInfo.parse(text, new ObjectRef(bucket, known)));
    }

    private Optional<UploadInfo> read(Path folder, ObjectRef object) throws IOException {
        return text(folder).flatMap(text -> UploadInfo.parse(text, object));
    }

    private static Optional<String> text(Path folder) throws IOException {
        try {
            return Optional.of(Files.readString(folder.resolve(ABOUT), StandardCharsets.ISO_8859_1));
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

    private ReentrantReadWriteLock lock(Upload upload) {
        return locks[Math.floorMod(upload.uploadId().hashCode(), STRIPES)];
    }

    /** Later ones sort behind earlier ones. */
    private String newId() {
        byte[] bytes = new byte[10];
        random.nextBytes(bytes);
        return "%012x".formatted(System.currentTimeMillis()) + HexFormat.of().formatHex(bytes);
    }
}
