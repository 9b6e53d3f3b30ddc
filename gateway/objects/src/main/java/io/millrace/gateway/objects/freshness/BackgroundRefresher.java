package io.millrace.gateway.objects.freshness;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Questions that no reader waits for: one at a time for each object or page of a list, and so many of one backend that readers of old content cannot
 * bury it. Safe for use by any number of threads.
 */
public final class BackgroundRefresher {
    /** Of one backend at the same time. Whatever is not asked for now is asked for by its next reader. */
    public static final int MOST = 64;

    private static final Logger log = LoggerFactory.getLogger(BackgroundRefresher.class);

    private final Set<Object> underWay = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<String, AtomicInteger> ofBackend = new ConcurrentHashMap<>();

    /**
     * Asks, unless that is being asked, or too much is. A failure is nobody's: who reads later meets it himself.
     *
     * @param what is asked for: a value, which equals no other question's
     */
    public void refresh(String backend, Object what, Mono<?> question) {
        AtomicInteger count = ofBackend.computeIfAbsent(backend, absent -> new AtomicInteger());
        if (!underWay.add(what)) {
            return;
        }
        if (count.incrementAndGet() > MOST) {
            ended(what, count);
            return;
        }
        question.doFinally(end -> ended(what, count))
                .subscribe(answer -> {}, failure -> log.debug("{} was asked for in vain", what, failure));
    }

    private void ended(Object what, AtomicInteger count) {
        count.decrementAndGet();
        underWay.remove(what);
    }
}
