package io.millrace.gateway.jobs.store;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.kit.file.PrivateFile;
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
 * Stores on disk the multipart uploads that a job has begun and not completed, with their stored parts, so that they
 * are resumed after a restart. Each is a file {@code upload-HASH} in the job's folder, by the name of the object. The
 * first line is the {@link PendingUpload}, the others are its stored parts, which are not sent again after a kill. The
 * file is on disk before the upload begins. Only the job thread accesses the disk.
 */
public record PendingUploadStore(Path folder, JobStateThread thread) {
    private static final ObjectMapper JSON = JsonMapper.builder().build();
    private static final String PREFIX = "upload-";

    /** A stored part. */
    public record Part(int number, String eTag, long size, Map<ChecksumAlgorithm, String> sums) {}

    /** An upload with its stored parts. */
    public record Noted(PendingUpload upload, List<Part> parts) {}

    /** A file and its upload, which is empty if the file is damaged. */
    public record Entry(Path file, Optional<PendingUpload> upload) {}

    /** Returns true if a file in a job's folder belongs to this store. */
    static boolean isNote(Path file) {
        return file.getFileName().toString().startsWith(PREFIX);
    }

    public Mono<Optional<Noted>> find(String name) {
        return thread.call(() -> read(file(name)));
    }

    /** Stores an upload in place of an earlier one of that name; completes when it is on disk. */
    public Mono<Void> write(String name, Noted noted) {
        return thread.run(() -> {
            List<String> lines = new ArrayList<>();
            lines.add(JSON.writeValueAsString(noted.upload()));
            noted.parts().forEach(part -> lines.add(JSON.writeValueAsString(part)));
            PrivateFile.write(file(name), lines);
        });
    }

    public Mono<Void> add(String name, Part part) {
        return thread.run(
                () -> Files.writeString(file(name), JSON.writeValueAsString(part) + "\n", StandardOpenOption.APPEND));
    }

    public Mono<Void> end(String name) {
        return end(new Entry(file(name), Optional.empty()));
    }

    public Mono<Void> end(Entry entry) {
        return thread.run(() -> Files.deleteIfExists(entry.file()));
    }

    /** Returns all pending uploads. */
    public Mono<List<Entry>> all() {
        return thread.call(() -> {
            List<Entry> all = new ArrayList<>();
            for (Path file : files()) {
                all.add(new Entry(file, read(file).map(Noted::upload)));
            }
            return all;
        });
    }

    /** Returns true if there is no pending upload. Reads the disk, so only the job thread may call it. */
    public boolean isEmpty() throws IOException {
        return files().isEmpty();
    }

    private List<Path> files() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(PendingUploadStore::isNote).toList();
        }
    }

    private Path file(String name) {
        byte[] hash = HashDigest.sha256(name.getBytes(StandardCharsets.UTF_8));
        return folder.resolve(PREFIX + HexFormat.of().formatHex(hash, 0, 16));
    }

    private static Optional<Noted> read(Path file) throws IOException {
        List<PendingUpload> upload = JobFolder.lines(file, PendingUpload.class, 0, 1);
        return upload.isEmpty()
                ? Optional.empty()
                : Optional.of(new Noted(upload.get(0), JobFolder.lines(file, Part.class, 1, Integer.MAX_VALUE)));
    }
}
