package io.millrace.gateway.jobs.request;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * So much of a second, whoever takes it: who comes too early waits for his turn. What was not used within the last second may be
 * taken at once. Safe for use by any number of threads.
 */
public final class RateLimiter {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Longer than anything waits, and no overflow when it is added to itself. */
    private static final long LONGEST = Long.MAX_VALUE / 8;

    private final double perSecond;
    private final LongSupplier nanoTime;
    private long next;

    /**
     * @param perSecond at least 1
     * @param nanoTime as {@link System#nanoTime}
     */
    RateLimiter(double perSecond, LongSupplier nanoTime) {
        this.perSecond = perSecond;
        this.nanoTime = nanoTime;
        this.next = nanoTime.getAsLong() - SECOND;
    }

    /** One of a limit, where there is one. */
    public static RateLimiter of(OptionalLong perSecond) {
        return new RateLimiter(
                perSecond.isPresent() ? (double) perSecond.getAsLong() : Double.POSITIVE_INFINITY, System::nanoTime);
    }

    /** Whether anybody ever waits. */
    public boolean isLimited() {
        return perSecond < Double.POSITIVE_INFINITY;
    }

    /** Completes when so much may be taken. */
    public Mono<Void> take(long amount) {
        return Mono.defer(() -> {
            long wait = reserve(amount);
            return wait <= 0 ? Mono.empty() : Mono.delay(Duration.ofNanos(wait)).then();
        });
    }

    /** The same pieces, none before its bytes may be taken; those that nobody takes are discarded. */
    public Flux<ByteBuf> paced(Flux<ByteBuf> pieces) {
        return isLimited() ? pieces.flatMap(this::paced, 1, 1) : pieces;
    }

    /** Reactor would not discard a piece whose turn never comes; nor would {@code concatMap} one that arrives as it is cancelled. */
    private Mono<ByteBuf> paced(ByteBuf piece) {
        AtomicBoolean isTaken = new AtomicBoolean();
        return take(piece.readableBytes())
                .then(Mono.fromCallable(() -> isTaken.compareAndSet(false, true) ? piece : null))
                .doOnCancel(() -> {
                    if (isTaken.compareAndSet(false, true)) {
                        piece.release();
                    }
                });
    }

    /** Nanoseconds to wait until then. */
    synchronized long reserve(long amount) {
        long now = nanoTime.getAsLong();
        long begin = Math.max(next, now - SECOND);
        long takes = (long) Math.min(amount * (double) SECOND / perSecond, (double) LONGEST);
        next = Math.min(begin + takes, now + LONGEST);
        return begin - now;
    }
}
