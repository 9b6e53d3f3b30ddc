package io.millrace.kit.async;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Limits the rate of operations of all callers together, by delaying them. What was unused within the last second may
 * be taken at once. Thread-safe.
 */
public final class RateLimiter {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Longer than any real wait, and small enough to be added without overflow. */
    private static final long LONGEST = Long.MAX_VALUE / 8;

    private final double perSecond;
    private final LongSupplier nanoTime;
    private long next;

    /**
     * Creates a limiter.
     *
     * @param perSecond at least 1
     * @param nanoTime as {@link System#nanoTime}
     */
    RateLimiter(double perSecond, LongSupplier nanoTime) {
        this(perSecond, nanoTime, SECOND);
    }

    /** @param saved the nanoseconds that count as unused at the beginning */
    RateLimiter(double perSecond, LongSupplier nanoTime, long saved) {
        this.perSecond = perSecond;
        this.nanoTime = nanoTime;
        this.next = nanoTime.getAsLong() - saved;
    }

    /** Creates a limiter, of which a second is unused; an empty limit never delays. */
    public static RateLimiter of(OptionalLong perSecond) {
        return new RateLimiter(rate(perSecond), System::nanoTime);
    }

    /**
     * Creates a limiter of which nothing is unused, so that the limit holds from the first second on; an empty one
     * never delays.
     */
    public static RateLimiter fromNow(OptionalLong perSecond) {
        return new RateLimiter(rate(perSecond), System::nanoTime, 0);
    }

    private static double rate(OptionalLong perSecond) {
        return perSecond.isPresent() ? (double) perSecond.getAsLong() : Double.POSITIVE_INFINITY;
    }

    /** Returns false if the limiter never delays. */
    public boolean isLimited() {
        return perSecond < Double.POSITIVE_INFINITY;
    }

    /** Completes when this amount may be taken. */
    public Mono<Void> take(long amount) {
        return Mono.defer(() -> {
            long wait = reserve(amount);
            return wait <= 0 ? Mono.empty() : Mono.delay(Duration.ofNanos(wait)).then();
        });
    }

    /** Takes an amount at once, whatever was taken before: what is beyond the limit is a debt, see {@link #debt}. */
    public void charge(long amount) {
        long unused = reserve(amount);
    }

    /** Returns the time until what was taken is within the limit; zero if it is. */
    public synchronized Duration debt() {
        return Duration.ofNanos(Math.max(0, next - nanoTime.getAsLong()));
    }

    /**
     * Delays each buffer until its bytes may be taken. The subscriber owns the buffers that it gets, also those that
     * come while it cancels; others are released.
     */
    public Flux<ByteBuf> paced(Flux<ByteBuf> pieces) {
        return isLimited() ? new PacedFlux(pieces, this) : pieces;
    }

    /** Reserves an amount and returns the nanoseconds to wait. */
    synchronized long reserve(long amount) {
        long now = nanoTime.getAsLong();
        long begin = Math.max(next, now - SECOND);
        long takes = (long) Math.min(amount * (double) SECOND / perSecond, (double) LONGEST);
        next = Math.min(begin + takes, now + LONGEST);
        return begin - now;
    }
}
