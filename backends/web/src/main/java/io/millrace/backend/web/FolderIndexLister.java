package io.millrace.backend.web;

import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPageCollector;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.object.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import reactor.core.publisher.Mono;

/**
 * Builds one page of a listing from a web server's index pages of folders, in the byte order of keys. A folder's name
 * ends in a slash, so that the smallest pending name is the next key, or the folder that holds it; only such folders
 * are fetched, one after another. For one subscriber.
 */
final class FolderIndexLister {
    /** The most indexes that are fetched for a page, so that a tree of empty folders ends in a page with few keys. */
    private static final int MAX_FOLDERS = 1000;

    private final ListRequest request;
    private final UrlLayout layout;
    private final IndexReader indexes;
    private final boolean isFirstPage;
    private final ListPageCollector<ListingEntry> page;
    private final PriorityQueue<ListingEntry> pending =
            new PriorityQueue<>(Comparator.comparing(ListingEntry::name, ObjectKey.UTF8_ORDER));
    private int fetched;

    FolderIndexLister(ListRequest request, UrlLayout layout, IndexReader indexes) {
        this.request = request;
        this.layout = layout;
        this.indexes = indexes;
        this.isFirstPage = request.start() instanceof ListRequest.PageStart.FirstKey;
        this.page = new ListPageCollector<>(request);
    }

    Mono<ListPageCollector<ListingEntry>> run() {
        String start = request.prefix().substring(0, request.prefix().lastIndexOf('/') + 1);
        return Mono.defer(() -> enter(start))
                .then(Mono.defer(this::advance).repeat(() -> !isFinished()).then())
                .thenReturn(page);
    }

    private boolean isFinished() {
        return page.isFull() || pending.isEmpty();
    }

    /** Adds entries up to the next folder whose index is needed, and fetches that. */
    private Mono<Void> advance() {
        while (!isFinished()) {
            ListingEntry entry = pending.remove();
            if (!entry.isFolder()) {
                page.addKey(entry.name(), entry);
            } else if (page.mayContain(entry.name()) && !page.addRolledUp(entry.name())) {
                if (fetched == MAX_FOLDERS) {
                    page.endBefore(entry.name());
                    return Mono.empty();
                }
                return enter(entry.name());
            }
        }
        return Mono.empty();
    }

    /** Fetches the index of a folder, whose entries are pending then. */
    private Mono<Void> enter(String folder) {
        boolean isTooLong = folder.getBytes(StandardCharsets.UTF_8).length > ObjectKey.MAX_BYTES;
        // No index has an empty name, but a server may take this folder for the one without it.
        boolean hasEmptyName = folder.startsWith("/") || folder.contains("//");
        Optional<WebUrl> url = isTooLong || hasEmptyName ? Optional.empty() : layout.folder(request.bucket(), folder);
        if (url.isEmpty()) {
            return Mono.empty();
        }
        fetched++;
        return indexes.folder(url.get(), !isFirstPage)
                .onErrorResume(BackendException.class, failure -> missing(folder, failure))
                .doOnNext(entries -> entries.forEach(entry -> add(folder, entry)))
                .then();
    }

    private void add(String folder, ListingEntry entry) {
        ListingEntry placed = new ListingEntry(folder + entry.name(), entry.size(), entry.lastModified());
        if (page.mayContain(placed.name())) {
            pending.add(placed);
        }
    }

    /** A folder that is missing has no keys; only the bucket's own must exist. */
    private static Mono<List<ListingEntry>> missing(String folder, BackendException failure) {
        if (failure.kind() != FailureKind.NO_SUCH_KEY) {
            return Mono.error(failure);
        }
        return folder.isEmpty()
                ? Mono.error(new BackendException(FailureKind.NO_SUCH_BUCKET, "the bucket's folder is missing: 404"))
                : Mono.just(List.of());
    }
}
