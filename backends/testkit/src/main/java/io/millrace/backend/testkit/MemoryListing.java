package io.millrace.backend.testkit;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.From;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes one page of a listing by going over all keys in order: slow, and plain enough to be right. */
final class MemoryListing {
    private final ListRequest request;
    private final String after;
    private final List<ListPage.Entry> objects = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private @Nullable String last;

    private MemoryListing(ListRequest request) {
        this.request = request;
        this.after = text(request.from());
    }

    static ListPage page(NavigableMap<ObjectKey, StoredObject> keys, ListRequest request) {
        return new MemoryListing(request).page(keys);
    }

    private ListPage page(NavigableMap<ObjectKey, StoredObject> keys) {
        for (Map.Entry<ObjectKey, StoredObject> entry : keys.entrySet()) {
            String key = entry.getKey().value();
            Optional<String> rolledUp = rolledUp(key);
            if (!key.startsWith(request.prefix())
                    || isBehind(key, rolledUp)
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

    private Optional<String> rolledUp(String key) {
        String delimiter = request.delimiter();
        int at = delimiter.isEmpty()
                ? -1
                : key.indexOf(delimiter, request.prefix().length());
        return at < 0 ? Optional.empty() : Optional.of(key.substring(0, at + delimiter.length()));
    }

    /** A start-after is no prefix that was shown before; a marker or token may be. */
    private boolean isBehind(String key, Optional<String> rolledUp) {
        boolean shown = !(request.from() instanceof From.After)
                && rolledUp.map(prefix -> prefix.equals(after)).orElse(false);
        return shown || (!after.isEmpty() && ObjectKey.UTF8_ORDER.compare(key, after) <= 0);
    }

    private From next(String text) {
        return request.from() instanceof From.Marker ? new From.Marker(text) : new From.Token(text);
    }

    private static String text(From from) {
        if (from instanceof From.After start) {
            return start.text();
        }
        if (from instanceof From.Marker marker) {
            return marker.text();
        }
        return from instanceof From.Token token ? token.token() : "";
    }

    private static ListPage.Entry entry(ObjectKey key, StoredObject object) {
        ObjectHead head = object.head();
        return new ListPage.Entry(
                key,
                head.size(),
                head.eTag(),
                head.lastModified().orElseThrow(),
                "STANDARD",
                ListPage.Checksums.NONE,
                Optional.empty());
    }
}
