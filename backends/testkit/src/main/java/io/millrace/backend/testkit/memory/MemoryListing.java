package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Builds one page of a listing by iterating over all keys in order: slow but obviously correct. */
final class MemoryListing {
    private final ListRequest request;
    private final String after;
    private final List<ListPage.ListedObject> objects = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private @Nullable String last;

    private MemoryListing(ListRequest request) {
        this.request = request;
        this.after = text(request.start());
    }

    static ListPage page(NavigableMap<ObjectKey, MemoryObject> keys, ListRequest request) {
        return new MemoryListing(request).page(keys);
    }

    private ListPage page(NavigableMap<ObjectKey, MemoryObject> keys) {
        for (Map.Entry<ObjectKey, MemoryObject> entry : keys.entrySet()) {
            String key = entry.getKey().value();
            Optional<String> rolledUp = commonPrefix(key);
            if (!key.startsWith(request.prefix())
                    || isBeforeStart(key, rolledUp)
                    || rolledUp.map(prefix -> prefix.equals(last)).orElse(false)) {
                continue;
            }
            if (objects.size() + prefixes.size() == request.maxKeys()) {
                return new ListPage(objects, prefixes, Optional.ofNullable(last).map(this::next));
            }
            rolledUp.ifPresentOrElse(prefixes::add, () -> objects.add(entry(entry.getKey(), entry.getValue())));
            last = rolledUp.orElse(key);
        }
        return new ListPage(objects, prefixes, Optional.empty());
    }

    private Optional<String> commonPrefix(String key) {
        String delimiter = request.delimiter();
        int at = delimiter.isEmpty()
                ? -1
                : key.indexOf(delimiter, request.prefix().length());
        return at < 0 ? Optional.empty() : Optional.of(key.substring(0, at + delimiter.length()));
    }

    /**
     * Returns whether a key comes before the page. A start-after is no common prefix that was shown before; a marker or
     * token may be.
     */
    private boolean isBeforeStart(String key, Optional<String> rolledUp) {
        boolean shown = !(request.start() instanceof PageStart.StartAfter)
                && rolledUp.map(prefix -> prefix.equals(after)).orElse(false);
        return shown || (!after.isEmpty() && ObjectKey.UTF8_ORDER.compare(key, after) <= 0);
    }

    private PageStart next(String text) {
        return request.start() instanceof PageStart.Marker
                ? new PageStart.Marker(text)
                : new PageStart.ContinuationToken(text);
    }

    private static String text(PageStart from) {
        if (from instanceof PageStart.StartAfter start) {
            return start.text();
        }
        if (from instanceof PageStart.Marker marker) {
            return marker.text();
        }
        return from instanceof PageStart.ContinuationToken token ? token.token() : "";
    }

    private static ListPage.ListedObject entry(ObjectKey key, MemoryObject object) {
        ObjectHead head = object.head();
        return new ListPage.ListedObject(
                key,
                head.size(),
                head.eTag(),
                head.lastModified().orElseThrow(),
                "STANDARD",
                ListPage.ListedChecksums.NONE,
                Optional.empty());
    }
}
