package io.millrace.backend.hub;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.ObjectKeyEncoding;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Reads the files of a repository at a commit, and remembers them for the later pages of a listing. Thread-safe. */
final class TreeReader {
    /** The largest accepted list: some 200,000 files. */
    private static final int MAX_BYTES = 64 << 20;

    /** The most entries that are remembered; each takes some 200 bytes. */
    private static final long MAX_ENTRIES = 400_000;

    private static final Duration REMEMBERED = Duration.ofMinutes(10);

    private final HubClient client;
    private final Credentials operator;
    private final DocumentMemoryBudget memory;
    private final Cache<String, List<TreeEntry>> remembered = Caffeine.newBuilder()
            .maximumWeight(MAX_ENTRIES)
            .weigher((String path, List<TreeEntry> entries) -> entries.size() + 1)
            .expireAfterWrite(REMEMBERED)
            .build();
    private final PatientRequests<String, List<TreeEntry>> requests;

    TreeReader(HubClient client, Credentials operator, DocumentMemoryBudget memory, Duration patience) {
        this.client = client;
        this.operator = operator;
        this.memory = memory;
        this.requests = new PatientRequests<>(patience, List::size, 0);
    }

    /**
     * Returns the entries below a folder, each once, in the byte order of UTF-8; none if the folder does not exist.
     *
     * @param folder empty, or with a slash at its end
     * @param recursive whether the files of its folders, or else the folders themselves
     */
    Mono<List<TreeEntry>> read(RepositoryPath of, String commit, String folder, boolean recursive) {
        String path = "%s/tree/%s%s?recursive=%s&expand=false"
                .formatted(of.repository().apiPath(), commit, encoded(folder), recursive);
        return requests.join(path, "the list", () -> remembered(path, folder, recursive));
    }

    /** Looks when the requests before have ended, so that nobody asks for what they found. */
    private Mono<List<TreeEntry>> remembered(String path, String folder, boolean recursive) {
        List<TreeEntry> known = remembered.getIfPresent(path);
        return known != null ? Mono.just(known) : ask(path, folder, recursive);
    }

    private Mono<List<TreeEntry>> ask(String path, String folder, boolean recursive) {
        return Mono.using(
                        memory::begin,
                        reserved -> new PagedDocument(client, operator, MAX_BYTES, reserved)
                                .pages(client.api(path))
                                .collectList()
                                // A large one takes longer than an event loop may.
                                .publishOn(Schedulers.parallel())
                                .map(pages -> entries(pages, folder, recursive)),
                        DocumentMemoryBudget.Reservation::release)
                .onErrorResume(BackendException.class, TreeReader::missing)
                .doOnNext(entries -> remembered.put(path, entries));
    }

    private static Mono<List<TreeEntry>> missing(BackendException failure) {
        boolean isFolder = failure.kind() == FailureKind.NO_SUCH_KEY
                && failure.headers().fields().isEmpty();
        return isFolder ? Mono.just(List.of()) : Mono.error(failure);
    }

    private static String encoded(String folder) {
        return folder.isEmpty()
                ? ""
                : "/"
                        + ObjectKeyEncoding.encode(new ObjectKey(folder.substring(0, folder.length() - 1)))
                                .replace("/", "%2F");
    }

    private static List<TreeEntry> entries(List<BufferedResponse> pages, String folder, boolean recursive) {
        List<TreeEntry> entries = new ArrayList<>();
        for (BufferedResponse page : pages) {
            for (Map<String, String> fields : HubJsonReader.ofArray(page.bytes())) {
                entry(fields, folder, recursive).ifPresent(entries::add);
            }
        }
        entries.sort(Comparator.comparing(TreeEntry::path, ObjectKey.UTF8_ORDER));
        return List.copyOf(entries);
    }

    private static Optional<TreeEntry> entry(Map<String, String> fields, String folder, boolean recursive) {
        String path = fields.getOrDefault("path", "");
        boolean isFile = fields.getOrDefault("type", "").equals("file");
        boolean isFolder = fields.getOrDefault("type", "").equals("directory");
        if (!(isFile || (isFolder && !recursive)) || !isBelow(path, folder)) {
            return Optional.empty();
        }
        String size = fields.getOrDefault("lfs.size", fields.getOrDefault("size", ""));
        if (isFile && !size.matches("[0-9]{1,18}")) {
            throw new BackendException(FailureKind.INVALID_RESPONSE, "a file in the list has no size");
        }
        String tag = fields.getOrDefault("lfs.oid", fields.getOrDefault("oid", ""));
        return Optional.of(
                isFile
                        ? new TreeEntry(path, Long.parseLong(size), ETag.strong(tag))
                        : new TreeEntry(path + "/", 0, ETag.strong(tag)));
    }

    private static boolean isBelow(String path, String folder) {
        return path.length() > folder.length()
                && path.startsWith(folder)
                && !path.endsWith("/")
                && path.getBytes(StandardCharsets.UTF_8).length <= ObjectKey.MAX_BYTES;
    }
}
