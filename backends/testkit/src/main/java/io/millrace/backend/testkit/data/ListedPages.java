package io.millrace.backend.testkit.data;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.object.BucketName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The pages of a listing that was read to its end. */
public record ListedPages(List<ListPage> pages) {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** More pages than any case has: a listing that never ends fails instead of hanging. */
    private static final int LIMIT = 10_000;

    public static ListedPages readAll(Backend backend, ListRequest first) {
        List<ListPage> pages = new ArrayList<>();
        Optional<ListRequest.PageStart> next = Optional.of(first.start());
        while (next.isPresent()) {
            if (pages.size() == LIMIT) {
                throw new AssertionError("no end after " + LIMIT + " pages");
            }
            ListPage page = page(backend, at(first, next.get()));
            pages.add(page);
            next = page.next();
        }
        return new ListedPages(pages);
    }

    public static ListPage page(Backend backend, ListRequest request) {
        return Objects.requireNonNull(backend.listObjects(request).block(TIMEOUT), "a page");
    }

    public static ListRequest at(ListRequest list, ListRequest.PageStart from) {
        return new ListRequest(list.bucket(), list.prefix(), list.delimiter(), from, list.maxKeys(), list.withOwners());
    }

    public static ListRequest request(BucketName bucket, String prefix, String delimiter, int maxKeys) {
        return new ListRequest(bucket, prefix, delimiter, new ListRequest.PageStart.FirstKey(), maxKeys, false);
    }

    public List<String> keys() {
        return pages.stream().flatMap(page -> keys(page).stream()).toList();
    }

    public List<String> prefixes() {
        return pages.stream().flatMap(page -> page.prefixes().stream()).toList();
    }

    public static List<String> keys(ListPage page) {
        return page.objects().stream().map(entry -> entry.key().value()).toList();
    }
}
