package io.millrace.gateway.objects.freshness;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Revalidates stale objects and listings in the background: one request at a time per object or page, and a bounded
 * number per backend, so that readers of stale content cannot overload it. Thread-safe.
 */
public final class BackgroundRefresher {
    /** The maximum of concurrent refreshes per backend; a refresh beyond that is left to the next reader. */
    public static final int MAX_PER_BACKEND = 64;

    private static final Logger log = LoggerFactory.getLogger(BackgroundRefresher.class);

    private final Set<Object> running = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<String, AtomicInteger> ofBackend = new ConcurrentHashMap<>();

    /**
     * Starts a refresh unless one of the same subject is running or too many are. A failure is only logged; the next
     * reader meets it.
     *
     * @param what the subject, with value equality; distinct from all other subjects
     */
    public void refresh(String backend, Object what, Mono<?> question) {
        AtomicInteger count = ofBackend.computeIfAbsent(backend, absent -> new AtomicInteger());
        if (!running.add(what)) {
            return;
        }
        if (count.incrementAndGet() > MAX_PER_BACKEND) {
            ended(what, count);
            return;
        }
        question.doFinally(end -> ended(what, count))
                .subscribe(refreshed -> {}, failure -> log.debug("The background refresh of {} failed", what, failure));
    }

    private void ended(Object what, AtomicInteger count) {
        count.decrementAndGet();
        running.remove(what);
    }
}
