package io.millrace.backend.testkit;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** A listing read to its end, page by page. */
record Pages(List<ListPage> pages) {
    /** More pages than any case has: a listing that never ends fails instead of hanging. */
    private static final int LIMIT = 10_000;

    static Pages of(Backend backend, ListRequest first) {
        List<ListPage> pages = new ArrayList<>();
        Optional<ListRequest.From> next = Optional.of(first.from());
        while (next.isPresent()) {
            if (pages.size() == LIMIT) {
                throw new AssertionError("no end after " + LIMIT + " pages");
            }
            ListPage page = page(backend, at(first, next.get()));
            pages.add(page);
            next = page.next();
        }
        return new Pages(pages);
    }

    static ListPage page(Backend backend, ListRequest request) {
        return Objects.requireNonNull(backend.list(request).block(ContractCases.PATIENCE), "a page");
    }

    static ListRequest at(ListRequest list, ListRequest.From from) {
        return new ListRequest(list.bucket(), list.prefix(), list.delimiter(), from, list.maxKeys(), list.owners());
    }

    static ListRequest request(BucketName bucket, String prefix, String delimiter, int maxKeys) {
        return new ListRequest(bucket, prefix, delimiter, new ListRequest.From.Beginning(), maxKeys, false);
    }

    List<String> keys() {
        return pages.stream().flatMap(page -> keys(page).stream()).toList();
    }

    List<String> prefixes() {
        return pages.stream().flatMap(page -> page.prefixes().stream()).toList();
    }

    static List<String> keys(ListPage page) {
        return page.objects().stream().map(entry -> entry.key().value()).toList();
    }
}
