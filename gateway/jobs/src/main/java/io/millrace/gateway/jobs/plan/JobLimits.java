package io.millrace.gateway.jobs.plan;

import io.millrace.config.DataSize;
import io.millrace.kit.async.RateLimiter;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The concurrency, rate limits and attempts of a job.
 *
 * @param workers concurrent objects
 * @param bandwidth bytes a second of all workers together; at least 1 KiB
 * @param requests a second of all workers together; at least 1
 * @param attempts for each object, including the first
 */
public record JobLimits(int workers, Optional<DataSize> bandwidth, OptionalInt requests, int attempts) {
    static final int DEFAULT_WORKERS = 16;
    static final int MOST_WORKERS = 256;
    static final int DEFAULT_ATTEMPTS = 8;
    static final int MOST_ATTEMPTS = 20;

    /** Creates the rate limiter of the bandwidth, in bytes. */
    public RateLimiter bytes() {
        return RateLimiter.fromNow(
                bandwidth.map(size -> OptionalLong.of(size.bytes())).orElseGet(OptionalLong::empty));
    }

    /** Creates the rate limiter of the requests. */
    public RateLimiter turns() {
        return RateLimiter.of(requests.isPresent() ? OptionalLong.of(requests.getAsInt()) : OptionalLong.empty());
    }
}
