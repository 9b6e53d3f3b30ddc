package io.millrace.backend.s3;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import reactor.core.publisher.Mono;

/**
 * How long a server is waited for. A wheel of 100 ms costs a request next to nothing and ends it late by no more.
 *
 * @param firstByte from the request to the head of its answer, the wait for a connection included; of a request that brings
 *     a stream, from its last byte
 * @param idle between two pieces of a body, while a reader wants one, or while the server should take one
 */
record Deadlines(Duration firstByte, Duration idle) {
    /**
     * For copies and completions. Amazon says that a completion takes minutes; a copy of 5 GiB inside one server takes as long
     * as its disks do. Amazon sends its head early and spaces after it, but not every server does.
     */
    private static final Duration LONG_WORK = Duration.ofMinutes(5);

    private static final HashedWheelTimer TIMER =
            new HashedWheelTimer(new DefaultThreadFactory("s3-backend-timer", true), 100, TimeUnit.MILLISECONDS);

    /** The same for what a server may be at work on for long. */
    Deadlines forLongWork() {
        return new Deadlines(firstByte.compareTo(LONG_WORK) > 0 ? firstByte : LONG_WORK, idle);
    }

    /** The same, failing with a {@link TimeoutException} if the first byte does not come in time after {@code sent}. */
    <T> Mono<T> untilFirstByte(Mono<T> head, Mono<Void> sent) {
        return head.timeout(
                sent.then(firstByteIsDue()),
                Mono.error(() -> new TimeoutException("no answer within " + text(firstByte))));
    }

    /** Runs {@code task} on the timer's thread, which it must not hold up. */
    static Timeout in(long nanos, Runnable task) {
        return TIMER.newTimeout(timeout -> task.run(), nanos, TimeUnit.NANOSECONDS);
    }

    TimeoutException deafness() {
        return new TimeoutException("the server took nothing of the body for " + text(idle));
    }

    TimeoutException silence() {
        return new TimeoutException("nothing came for %s in the middle of the answer".formatted(text(idle)));
    }

    private Mono<Void> firstByteIsDue() {
        return Mono.create(sink -> {
            // What a failure sets off is none of the timer's business.
            Timeout due =
                    in(firstByte.toNanos(), () -> Connections.loops().next().execute(sink::success));
            sink.onDispose(due::cancel);
        });
    }

    private static String text(Duration limit) {
        return limit.toSeconds() == 0 ? limit.toMillis() + " ms" : limit.toSeconds() + " s";
    }
}
