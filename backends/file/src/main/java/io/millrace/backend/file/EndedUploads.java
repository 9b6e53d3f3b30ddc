package io.millrace.backend.file;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.checksum.HashDigest;
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
 * What became of uploads that were completed, so that a client that lost the answer gets it when it asks again:
 * {@code .millrace/completed/<id>}, kept for an hour. The same text lies in the upload's own folder while it is being
 * completed, and tells after a crash whether that was done. Blocks on the disk.
 */
final class EndedUploads {
    private static final Duration KEPT = Duration.ofHours(1);
    private static final Duration BETWEEN_SWEEPS = Duration.ofMinutes(10);
    private static final String COMPLETING = "completing";

    /** Fields of the text beside what the client is told; no client can send such names. */
    private static final String BUCKET = "millrace bucket";

    private static final String PARTS = "millrace parts";

    private final Path folder;
    private final Uploads uploads;
    private final Temporaries temporaries;
    private final AtomicLong sweptMillis = new AtomicLong();

    /**
     * @param hidden the hidden folder, which need not be there
     */
    EndedUploads(Path hidden, Uploads uploads, Temporaries temporaries) {
        this.folder = hidden.resolve("completed");
        this.uploads = uploads;
        this.temporaries = temporaries;
    }

    /** What this upload became when these very parts were completed; empty if that was not, or long ago. */
    Optional<StoredContent> find(Upload upload, List<NamedPart> parts) throws IOException {
        uploads.folder(upload);
        return read(folder.resolve(upload.uploadId()), upload, parts);
    }

    /** What it was about to become when the process ended. */
    Optional<StoredContent> begun(Upload upload, List<NamedPart> parts) throws IOException {
        return read(uploads.folder(upload).resolve(COMPLETING), upload, parts);
    }

    /** Writes down what the upload is about to become. */
    void begin(Upload upload, List<NamedPart> parts, StoredContent content) throws IOException {
        HeaderList fields =
                content.headers().with(BUCKET, upload.object().bucket().value()).with(PARTS, hash(parts));
        StoredContent noted = new StoredContent(content.size(), content.modified(), content.tag(), fields);
        Path text = temporaries.next();
        try {
            Folders.writeText(text, MetadataText.write(upload.object().key(), List.of(noted)));
            Path note = uploads.folder(upload).resolve(COMPLETING);
            Files.move(text, note, StandardCopyOption.ATOMIC_MOVE);
            Folders.force(FileNames.folderOf(note));
        } finally {
            Temporaries.discard(text);
        }
    }

    /** The object is there: from now on this upload has ended. What is left of it is the caller's to discard. */
    Path end(Upload upload) throws IOException {
        Folders.make(folder);
        Files.move(
                uploads.folder(upload).resolve(COMPLETING),
                folder.resolve(upload.uploadId()),
                StandardCopyOption.ATOMIC_MOVE);
        Folders.force(folder);
        sweep(Instant.now());
        return uploads.setAside(upload);
    }

    /** It did not become that. */
    void takeBack(Upload upload) throws IOException {
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
                if (Files.getLastModifiedTime(note).toInstant().isBefore(now.minus(KEPT))) {
                    Files.deleteIfExists(note);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private static Optional<StoredContent> read(Path file, Upload upload, List<NamedPart> parts) throws IOException {
        try {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            return MetadataText.read(text, upload.object().key()).stream()
                    .filter(content -> content.headers()
                            .first(BUCKET)
                            .equals(Optional.of(upload.object().bucket().value())))
                    .filter(content -> content.headers().first(PARTS).equals(Optional.of(hash(parts))))
                    .findFirst();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static String hash(List<NamedPart> parts) {
        HashDigest digest = HashDigest.of("SHA-256");
        for (NamedPart part : parts) {
            String line = part.number() + " " + part.eTag().opaque() + "\n";
            digest.update(line.getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(digest.bytes());
    }
}
