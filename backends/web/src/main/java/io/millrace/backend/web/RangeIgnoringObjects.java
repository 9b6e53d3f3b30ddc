package io.millrace.backend.web;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.http.WebUrl;
import java.time.Duration;

/**
 * The objects of which the server has sent all though it was asked for a range, however it announces ranges. Fetching
 * their blocks one by one would transfer the object once a block.
 */
final class RangeIgnoringObjects {
    private static final long MAX_OBJECTS = 10_000;
    private static final Duration REMEMBERED = Duration.ofMinutes(10);

    private final Cache<String, Boolean> paths = Caffeine.newBuilder()
            .maximumSize(MAX_OBJECTS)
            .expireAfterWrite(REMEMBERED)
            .build();

    void add(WebUrl url) {
        paths.put(url.path(), true);
    }

    boolean contains(WebUrl url) {
        return paths.getIfPresent(url.path()) != null;
    }
}
