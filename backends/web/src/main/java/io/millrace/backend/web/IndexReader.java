package io.millrace.backend.web;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.http.AcknowledgementCheck;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.ObjectKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Reads indexes, the pages on which a server lists the entries of a folder, and manifests. It remembers them for the
 * later pages of a listing, so a folder is fetched once for all its pages, which show one state of it.
 */
final class IndexReader {
    /** The largest accepted index: some 200,000 names. */
    private static final int MAX_BYTES = 32 << 20;

    /** The most entries that are remembered; each takes some 150 bytes. */
    private static final long MAX_ENTRIES = 400_000;

    /** Long enough for a client to request the next page. */
    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    private final WebClient client;
    private final Cache<String, List<ListingEntry>> remembered = Caffeine.newBuilder()
            .maximumWeight(MAX_ENTRIES)
            .weigher((String url, List<ListingEntry> entries) -> entries.size() + 1)
            .expireAfterWrite(REMEMBERED)
            .build();

    IndexReader(WebClient client) {
        this.client = client;
    }

    /**
     * Returns the entries of a folder, each once, in the byte order of UTF-8.
     *
     * @param mayBeRemembered whether an answer of up to a minute ago will do
     */
    Mono<List<ListingEntry>> folder(WebUrl url, boolean mayBeRemembered) {
        return read(
                url,
                mayBeRemembered,
                "the index",
                index -> isJson(index)
                        ? JsonIndexParser.parse(index.bytes())
                        : HtmlIndexParser.parse(url, index.bytes()));
    }

    /** Returns the keys of a manifest, as {@link #folder} does. */
    Mono<List<ListingEntry>> manifest(WebUrl url, boolean mayBeRemembered) {
        return read(
                url,
                mayBeRemembered,
                "the manifest",
                document -> ManifestParser.parse(
                        AcknowledgementCheck.requireNoPage(document).bytes()));
    }

    private Mono<List<ListingEntry>> read(
            WebUrl url, boolean mayBeRemembered, String what, Function<BufferedResponse, List<ListingEntry>> parser) {
        return Mono.defer(() -> {
            List<ListingEntry> known = mayBeRemembered ? remembered.getIfPresent(url.path()) : null;
            return known != null
                    ? Mono.just(known)
                    : client.fetch(url, MAX_BYTES, what)
                            // A large one takes longer than an event loop may.
                            .publishOn(Schedulers.parallel())
                            .map(document -> sorted(parser.apply(document)))
                            .doOnNext(entries -> remembered.put(url.path(), entries));
        });
    }

    private static boolean isJson(BufferedResponse index) {
        String type = index.header("content-type").orElse("");
        if (type.startsWith("application/json")) {
            return true;
        }
        if (!type.startsWith("text/html") && !type.startsWith("application/xhtml+xml")) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE,
                    "the folder's index is neither HTML nor JSON, but %s; switch on the server's index of folders"
                            .formatted(type.isEmpty() ? "of no type" : type));
        }
        return false;
    }

    private static List<ListingEntry> sorted(List<ListingEntry> entries) {
        entries.sort(Comparator.comparing(ListingEntry::name, ObjectKey.UTF8_ORDER));
        List<ListingEntry> distinct = new ArrayList<>(entries.size());
        for (ListingEntry entry : entries) {
            if (distinct.isEmpty() || !distinct.get(distinct.size() - 1).name().equals(entry.name())) {
                distinct.add(entry);
            }
        }
        return List.copyOf(distinct);
    }
}
