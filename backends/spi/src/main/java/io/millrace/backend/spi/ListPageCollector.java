package io.millrace.backend.spi;

import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Collects the keys and common prefixes of one page from entries that come in order. Not thread-safe.
 *
 * @param <T> an object of the listing
 */
public final class ListPageCollector<T> {
    private final ListRequest request;
    private final ListPageFilter filter;
    private final List<T> objects = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private Optional<PageStart> last = Optional.empty();
    private boolean full;

    /**
     * @throws io.millrace.backend.spi.BackendException of kind INVALID_REQUEST if the request has a token that this
     *     listing did not make
     */
    public ListPageCollector(ListRequest request) {
        this.request = request;
        this.filter = new ListPageFilter(request);
        this.full = request.maxKeys() == 0;
    }

    /** Returns whether no further entry can be on the page. */
    public boolean isFull() {
        return full;
    }

    /** Returns whether the page may show a key that begins with {@code text}. */
    public boolean mayContain(String text) {
        return filter.mayContain(text);
    }

    /** Returns the text after which the page starts; empty if it starts with the first key. */
    public String after() {
        return filter.after();
    }

    /** Returns whether the page starts in the middle of the keys of a common prefix. */
    public boolean startsInside() {
        return filter.after().startsWith(request.prefix())
                && filter.commonPrefix(filter.after())
                        .filter(filter::startsInside)
                        .isPresent();
    }

    /** Returns the objects of the page. */
    public List<T> objects() {
        return objects;
    }

    public List<String> prefixes() {
        return prefixes;
    }

    /** Returns the start of the next page; empty on the last. */
    public Optional<PageStart> next() {
        return full ? last : Optional.empty();
    }

    /** Adds an object by its key, if it belongs to the page. */
    public void addKey(String key, T object) {
        if (!filter.includes(key) || key.getBytes(StandardCharsets.UTF_8).length > ObjectKey.MAX_BYTES) {
            return;
        }
        Optional<String> rolledUp = filter.commonPrefix(key);
        if (rolledUp.isPresent()) {
            addPrefix(rolledUp.get());
        } else if (hasSpace()) {
            objects.add(object);
            last = Optional.of(filter.nextStart(key, false));
        }
    }

    /** Adds a folder as a common prefix; returns false if its keys have to be added one by one. */
    public boolean addRolledUp(String folder) {
        // If the page starts inside, only its keys tell whether one of them comes later.
        Optional<String> rolledUp = filter.startsInside(folder) ? Optional.empty() : filter.commonPrefix(folder);
        rolledUp.ifPresent(this::addPrefix);
        return rolledUp.isPresent();
    }

    /** Ends the page before the keys of this folder. */
    public void endBefore(String folder) {
        full = true;
        last = Optional.of(filter.nextStart(folder, false));
    }

    private void addPrefix(String prefix) {
        if (hasSpace()) {
            prefixes.add(prefix);
            filter.excludePrefix(prefix);
            last = Optional.of(filter.nextStart(prefix, true));
        }
    }

    private boolean hasSpace() {
        full = objects.size() + prefixes.size() == request.maxKeys();
        return !full;
    }
}
