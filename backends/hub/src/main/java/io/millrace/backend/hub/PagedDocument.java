package io.millrace.backend.hub;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A document of the API that may come in pages, each of which links to the next.
 *
 * @param maxBytes the most bytes of all pages together
 * @param reserved counts the pages; the caller releases it
 */
record PagedDocument(
        HubClient client, Credentials credentials, int maxBytes, DocumentMemoryBudget.Reservation reserved) {
    private static final Pattern NEXT = Pattern.compile("<([^<>]*)>\\s*;\\s*rel=\"?next\"?(?:[\\s;,]|$)");

    /** A page, and the bytes of all pages up to it. */
    private record Page(BufferedResponse document, WebUrl url, long bytes) {}

    /**
     * Returns the pages in order, at least one; fails if a link leaves the Hub, or the pages are too large together.
     */
    Flux<BufferedResponse> pages(WebUrl first) {
        return page(first, 0)
                .expand(page -> next(page).map(url -> page(url, page.bytes())).orElseGet(Mono::empty))
                .map(Page::document);
    }

    private Mono<Page> page(WebUrl url, long before) {
        return client.fetch(url, credentials, maxBytes, "the document", reserved)
                .map(document -> {
                    long bytes = before + document.bytes().length;
                    if (bytes > maxBytes) {
                        throw new BackendException(
                                FailureKind.INVALID_RESPONSE,
                                "the pages of the document have more than %d bytes".formatted(maxBytes));
                    }
                    return new Page(document, url, bytes);
                });
    }

    private Optional<WebUrl> next(Page page) {
        Matcher link = NEXT.matcher(page.document().header("link").orElse(""));
        if (!link.find()) {
            return Optional.empty();
        }
        if (HubJsonReader.isEmptyArray(page.document().bytes())) {
            // It would go on for ever.
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE, "a page of the document has no entry, and links to a further one");
        }
        WebUrl url;
        try {
            url = page.url().resolve(link.group(1));
        } catch (IllegalArgumentException e) {
            throw new BackendException(FailureKind.INVALID_RESPONSE, "a link to the next page " + e.getMessage());
        }
        if (!client.isOwnServer(url)) {
            throw new BackendException(
                    FailureKind.ACCESS_DENIED, "the next page is on another server: " + url.withoutQuery());
        }
        return Optional.of(url);
    }
}
