package io.millrace.gateway.freshness;

import io.millrace.cache.ObjectId;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Questions that no reader waits for: one at a time for each object, and so many of one backend that readers of old content cannot
 * bury it. Safe for use by any number of threads.
 */
final class BackgroundQuestions {
    /** Of one backend at the same time. Whatever is not asked for now is asked for by its next reader. */
    static final int MOST = 64;

    private static final Logger log = LoggerFactory.getLogger(BackgroundQuestions.class);

    private final Set<ObjectId> underWay = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<String, AtomicInteger> ofBackend = new ConcurrentHashMap<>();

    /** Asks, unless that is being asked, or too much is. A failure is nobody's: who reads later meets it himself. */
    void ask(ObjectId id, Mono<?> question) {
        AtomicInteger count = ofBackend.computeIfAbsent(id.backend(), backend -> new AtomicInteger());
        if (!underWay.add(id)) {
            return;
        }
        if (count.incrementAndGet() > MOST) {
            ended(id, count);
            return;
        }
        question.doFinally(end -> ended(id, count))
                .subscribe(answer -> {}, failure -> log.debug("{} was asked for in vain", id.object(), failure));
    }

    private void ended(ObjectId id, AtomicInteger count) {
        count.decrementAndGet();
        underWay.remove(id);
    }
}
