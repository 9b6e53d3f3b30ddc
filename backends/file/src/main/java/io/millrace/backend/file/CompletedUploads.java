package io.millrace.backend.file;

import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Records the results of completed multipart uploads in {@code .millrace/completed/<id>} for an hour, so that a client
 * that lost the response gets it on a retry. The same record is in the upload's own folder during the completion, and
 * shows after a crash whether it took place. Blocks on the disk.
 */
final class CompletedUploads {
    private static final Duration RETENTION = Duration.ofHours(1);
    private static final Duration BETWEEN_SWEEPS = Duration.ofMinutes(10);
    private static final String COMPLETING = "completing";

    /** Names of record fields that are no headers of the client; no client can send such names. */
    private static final String BUCKET = "millrace bucket";

    private static final String PARTS = "millrace parts";

    private final Path folder;
    private final UploadStore uploads;
    private final TemporaryPaths temporaries;
    private final AtomicLong sweptMillis = new AtomicLong();

    /**
     * @param hidden the hidden folder, which may not exist yet
     */
    CompletedUploads(Path hidden, UploadStore uploads, TemporaryPaths temporaries) {
        this.folder = hidden.resolve("completed");
        this.uploads = uploads;
        this.temporaries = temporaries;
    }

    /** Returns the result of the completion with these parts; empty if there was none within the last hour. */
    Optional<StoredContentMetadata> findCompleted(MultipartUpload upload, List<CompletedPart> parts)
            throws IOException {
        uploads.folder(upload);
        return read(folder.resolve(upload.uploadId()), upload, parts);
    }

    /** Returns the result that a completion with these parts was about to have when the process ended. */
    Optional<StoredContentMetadata> findStarted(MultipartUpload upload, List<CompletedPart> parts) throws IOException {
        return read(uploads.folder(upload).resolve(COMPLETING), upload, parts);
    }

    /** Records the start of a completion. */
    void recordStart(MultipartUpload upload, List<CompletedPart> parts, StoredContentMetadata content)
            throws IOException {
        HeaderList fields =
                content.headers().with(BUCKET, upload.object().bucket().value()).with(PARTS, hash(parts));
        StoredContentMetadata noted =
                new StoredContentMetadata(content.size(), content.modified(), content.tag(), fields);
        Path text = temporaries.newPath();
        try {
            DurableFiles.writeNew(text, MetadataFileFormat.write(upload.object().key(), List.of(noted)));
            Path note = uploads.folder(upload).resolve(COMPLETING);
            Files.move(text, note, StandardCopyOption.ATOMIC_MOVE);
            DurableFiles.syncFolder(Utf8FileNames.parentOf(note));
        } finally {
            TemporaryPaths.discard(text);
        }
    }

    /**
     * Records that the object is committed, which ends the upload. Returns the path of its remains, which the caller
     * discards.
     */
    Path recordCompletion(MultipartUpload upload) throws IOException {
        DurableFolders.create(folder);
        Files.move(
                uploads.folder(upload).resolve(COMPLETING),
                folder.resolve(upload.uploadId()),
                StandardCopyOption.ATOMIC_MOVE);
        DurableFiles.syncFolder(folder);
        sweep(Instant.now());
        return uploads.moveToTemporary(upload);
    }

    /** Removes the record of a completion that failed. */
    void deleteStart(MultipartUpload upload) throws IOException {
        Files.deleteIfExists(uploads.folder(upload).resolve(COMPLETING));
    }

    private void sweep(Instant now) throws IOException {
        long last = sweptMillis.get();
        boolean isTime = now.toEpochMilli() - last > BETWEEN_SWEEPS.toMillis();
        if (!isTime || !sweptMillis.compareAndSet(last, now.toEpochMilli())) {
            return;
        }
        try (DirectoryStream<Path> notes = Files.newDirectoryStream(folder)) {
            for (Path note : notes) {
                if (Files.getLastModifiedTime(note).toInstant().isBefore(now.minus(RETENTION))) {
                    Files.deleteIfExists(note);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private static Optional<StoredContentMetadata> read(Path file, MultipartUpload upload, List<CompletedPart> parts)
            throws IOException {
        try {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            return MetadataFileFormat.read(text, upload.object().key()).stream()
                    .filter(content -> content.headers()
                            .first(BUCKET)
                            .equals(Optional.of(upload.object().bucket().value())))
                    .filter(content -> content.headers().first(PARTS).equals(Optional.of(hash(parts))))
                    .findFirst();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static String hash(List<CompletedPart> parts) {
        HashDigest digest = HashDigest.of("SHA-256");
        for (CompletedPart part : parts) {
            String line = part.number() + " " + part.eTag().opaque() + "\n";
            digest.update(line.getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(digest.bytes());
    }
}
