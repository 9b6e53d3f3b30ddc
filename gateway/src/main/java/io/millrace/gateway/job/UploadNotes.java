package io.millrace.gateway.job;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.files.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Uploads in parts that a job has begun and not ended, a file each below its folder: {@code upload-HASH}, of the name of its object. The
 * first line tells of which content it is, the others which parts are there, so that they are not fetched again after a kill, and
 * that what was given up is not left lying at the backend. The disk is touched by the job thread only.
 */
final class UploadNotes {
    private static final ObjectMapper JSON = JsonMapper.builder().build();
    private static final String PREFIX = "upload-";

    private final Path folder;
    private final JobThread thread;

    /**
     * An upload.
     *
     * @param bucket the backend's name of it
     * @param validator of the content; empty if it cannot be gone on with
     */
    record Begun(String bucket, String key, String uploadId, String validator, long size, long partBytes) {
        /** One that can be gone on with. */
        static Begun of(Upload upload, String validator, PartPlan plan) {
            ObjectRef object = upload.object();
            return new Begun(
                    object.bucket().value(),
                    object.key().value(),
                    upload.uploadId(),
                    validator,
                    plan.size(),
                    plan.partBytes());
        }

        /** One that cannot. */
        static Begun of(Upload upload) {
            return of(upload, "", new PartPlan(0, Blocks.SIZE));
        }

        Upload upload() {
            return new Upload(new ObjectRef(new BucketName(bucket), new ObjectKey(key)), uploadId);
        }

        PartPlan plan() {
            return new PartPlan(size, partBytes);
        }
    }

    /** A part that is there. */
    record Part(int number, String eTag, long size, Map<ChecksumAlgorithm, String> sums) {}

    /** What is known of an upload. */
    record Noted(Begun begun, List<Part> parts) {}

    UploadNotes(Path folder, JobThread thread) {
        this.folder = folder;
        this.thread = thread;
    }

    Mono<Optional<Noted>> find(String name) {
        return thread.call(() -> {
            Path file = file(name);
            return Files.exists(file) ? read(file) : Optional.<Noted>empty();
        });
    }

    /** Notes an upload that has just begun. One that cannot be noted is given up: nobody would know of it. */
    Mono<Noted> first(Download download, Begun begun) {
        Noted noted = new Noted(begun, List.of());
        return replace(download.name(), noted)
                .thenReturn(noted)
                .onErrorResume(
                        failure -> abort(download.to(), begun).onErrorComplete().then(Mono.error(failure)));
    }

    /** In place of what was noted under that name. */
    Mono<Void> replace(String name, Noted noted) {
        return thread.call(() -> {
            List<String> lines = new ArrayList<>();
            lines.add(JSON.writeValueAsString(noted.begun()));
            noted.parts().forEach(part -> lines.add(JSON.writeValueAsString(part)));
            PrivateFile.write(file(name), lines);
            return null;
        });
    }

    Mono<Void> add(String name, Part part) {
        return thread.call(() -> {
            Files.writeString(file(name), JSON.writeValueAsString(part) + "\n", StandardOpenOption.APPEND);
            return null;
        });
    }

    Mono<Void> end(String name) {
        return thread.call(() -> {
            Files.deleteIfExists(file(name));
            return null;
        });
    }

    /** Leaves nothing at the backend of what was begun of an object, now or by an earlier run; what cannot be given up stays noted. */
    Mono<Void> giveUp(Download download) {
        return find(download.name())
                .flatMap(noted -> noted.isEmpty()
                        ? Mono.<Void>empty()
                        : abort(download.to(), noted.get().begun()).then(end(download.name())));
    }

    /** All that are left. */
    Mono<List<Begun>> all() {
        return thread.call(() -> {
            List<Begun> all = new ArrayList<>();
            for (Path file : files()) {
                read(file).ifPresent(noted -> all.add(noted.begun()));
            }
            return all;
        });
    }

    /** Forgets all of them. */
    Mono<Void> clear() {
        return thread.call(() -> {
            for (Path file : files()) {
                Files.deleteIfExists(file);
            }
            return null;
        });
    }

    /** Gives it up at the backend; that it is no more is as well. */
    static Mono<Void> abort(BucketView bucket, Begun begun) {
        return bucket.backend()
                .abortUpload(begun.upload(), HeaderList.EMPTY)
                .onErrorResume(UploadNotes::isGone, gone -> Mono.empty());
    }

    /** Whether a failure says that there is no such upload. */
    static boolean isGone(Throwable failure) {
        return failure instanceof BackendException backend && backend.kind() == BackendException.Kind.NO_SUCH_UPLOAD;
    }

    private List<Path> files() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(PREFIX))
                    .toList();
        }
    }

    private Path file(String name) {
        HashDigest digest = HashDigest.of("SHA-256");
        digest.update(name.getBytes(StandardCharsets.UTF_8));
        return folder.resolve(PREFIX + HexFormat.of().formatHex(digest.bytes(), 0, 16));
    }

    private static Optional<Noted> read(Path file) throws IOException {
        List<Begun> begun = JobFolder.lines(file, Begun.class, 0, 1);
        return begun.isEmpty()
                ? Optional.empty()
                : Optional.of(new Noted(begun.get(0), JobFolder.lines(file, Part.class, 1, Integer.MAX_VALUE)));
    }
}
