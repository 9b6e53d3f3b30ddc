package io.millrace.backend.http;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import reactor.core.publisher.Mono;

/**
 * The timeouts of HTTP requests to one backend.
 *
 * @param firstByte from the request to the response headers, including the wait for a connection; from the end of
 *     the request for a body that tells when it was sent
 * @param idle between two buffers of a body, while the reader has demand or while the server should accept one
 * @param unclaimed until somebody reads a body that has arrived
 */
public record HttpTimeouts(Duration firstByte, Duration idle, Duration unclaimed) {
    /**
     * The least first-byte timeout of copies and completions. Amazon documents minutes for a completion; a copy of 5
     * GiB takes as long as the server's disks do. Amazon sends the headers early and then spaces, but not every server
     * does.
     */
    private static final Duration LONG_OPERATION = Duration.ofMinutes(5);

    private static final HashedWheelTimer TIMER =
            new HashedWheelTimer(new DefaultThreadFactory("http-client-timer", true), 100, TimeUnit.MILLISECONDS);

    /** Returns the timeouts of operations on which a server may work for minutes. */
    public HttpTimeouts forLongOperation() {
        return new HttpTimeouts(firstByte.compareTo(LONG_OPERATION) > 0 ? firstByte : LONG_OPERATION, idle, unclaimed);
    }

    /**
     * Fails with a {@link TimeoutException} if {@code head} does not complete within the first-byte timeout after
     * {@code sent}.
     */
    <T> Mono<T> untilFirstByte(Mono<T> head, Mono<Void> sent) {
        return until(sent.then(after(firstByte)), firstByte, head);
    }

    /**
     * Fails with a {@link TimeoutException} if a request takes longer in all. The timer is that of all requests: unlike
     * one of Reactor's it wakes no thread for each.
     */
    public static <T> Mono<T> within(Duration longest, Mono<T> request) {
        return until(after(longest), longest, request);
    }

    /**
     * Completes after this time, by the timer of all requests, which wakes no thread for each; up to a tenth of a
     * second later.
     */
    public static Mono<Void> after(Duration time) {
        return Mono.create(sink -> {
            // Not on the timer's thread: what follows may be more work.
            Timeout due = schedule(
                    time.toNanos(), () -> HttpConnectionPool.loops().next().execute(sink::success));
            sink.onDispose(due::cancel);
        });
    }

    private static <T> Mono<T> until(Mono<Void> due, Duration limit, Mono<T> request) {
        return request.timeout(due, Mono.error(() -> new TimeoutException("no response within " + text(limit))));
    }

    /** Runs {@code task} on the timer's thread, which it must not block. */
    static Timeout schedule(long nanos, Runnable task) {
        return TIMER.newTimeout(timeout -> task.run(), nanos, TimeUnit.NANOSECONDS);
    }

    TimeoutException requestIdle() {
        return new TimeoutException("the server accepted nothing of the request body for " + text(idle));
    }

    TimeoutException responseIdle() {
        return new TimeoutException(
                "the server sent nothing for %s in the middle of the response".formatted(text(idle)));
    }

    private static String text(Duration limit) {
        return limit.toSeconds() == 0 ? limit.toMillis() + " ms" : limit.toSeconds() + " s";
    }
}
