package io.millrace.gateway.jobs.store;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.gateway.objects.file.PrivateFile;
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
 * first line is the {@link PendingUpload}, the others are the parts that are there, so that they are not sent again after a kill. A note is
 * on the disk before the upload is begun. The disk is touched by the job thread only.
 */
public final class PendingUploadStore {
    private static final ObjectMapper JSON = JsonMapper.builder().build();
    private static final String PREFIX = "upload-";

    private final Path folder;
    private final JobThread thread;

    /** A part that is there. */
    public record Part(int number, String eTag, long size, Map<ChecksumAlgorithm, String> sums) {}

    /** An upload with its parts. */
    public record Noted(PendingUpload upload, List<Part> parts) {}

    /** A file, and the upload that it tells of; there is none if the file is damaged. */
    public record Entry(Path file, Optional<PendingUpload> upload) {}

    public PendingUploadStore(Path folder, JobThread thread) {
        this.folder = folder;
        this.thread = thread;
    }

    /** Whether a file in a job's folder is a note. */
    static boolean isNote(Path file) {
        return file.getFileName().toString().startsWith(PREFIX);
    }

    public Mono<Optional<Noted>> find(String name) {
        return thread.call(() -> read(file(name)));
    }

    /** In place of what was noted under that name; completes when it is on the disk. */
    public Mono<Void> write(String name, Noted noted) {
        return thread.call(() -> {
            List<String> lines = new ArrayList<>();
            lines.add(JSON.writeValueAsString(noted.upload()));
            noted.parts().forEach(part -> lines.add(JSON.writeValueAsString(part)));
            PrivateFile.write(file(name), lines);
            return null;
        });
    }

    public Mono<Void> add(String name, Part part) {
        return thread.call(() -> {
            Files.writeString(file(name), JSON.writeValueAsString(part) + "\n", StandardOpenOption.APPEND);
            return null;
        });
    }

    public Mono<Void> end(String name) {
        return end(new Entry(file(name), Optional.empty()));
    }

    public Mono<Void> end(Entry entry) {
        return thread.call(() -> {
            Files.deleteIfExists(entry.file());
            return null;
        });
    }

    /** All that are left. */
    public Mono<List<Entry>> all() {
        return thread.call(() -> {
            List<Entry> all = new ArrayList<>();
            for (Path file : files()) {
                all.add(new Entry(file, read(file).map(Noted::upload)));
            }
            return all;
        });
    }

    /** Whether none is left; touches the disk, so for the job thread only. */
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
        HashDigest digest = HashDigest.of("SHA-256");
        digest.update(name.getBytes(StandardCharsets.UTF_8));
        return folder.resolve(PREFIX + HexFormat.of().formatHex(digest.bytes(), 0, 16));
    }

    private static Optional<Noted> read(Path file) throws IOException {
        List<PendingUpload> upload = JobFolder.lines(file, PendingUpload.class, 0, 1);
        return upload.isEmpty()
                ? Optional.empty()
                : Optional.of(new Noted(upload.get(0), JobFolder.lines(file, Part.class, 1, Integer.MAX_VALUE)));
    }
}
