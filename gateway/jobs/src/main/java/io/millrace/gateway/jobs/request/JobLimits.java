package io.millrace.gateway.jobs.request;

import io.millrace.config.DataSize;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * How much a job takes.
 *
 * @param workers objects at a time
 * @param bandwidth bytes of a second, all workers together; at least 1
 * @param requests of a second, all workers together; at least 1
 * @param attempts for each object, the first included
 */
public record JobLimits(int workers, Optional<DataSize> bandwidth, OptionalInt requests, int attempts) {
    static final int DEFAULT_WORKERS = 16;
    static final int MOST_WORKERS = 256;
    static final int DEFAULT_ATTEMPTS = 8;
    static final int MOST_ATTEMPTS = 20;

    /** What holds the bandwidth. */
    public RateLimiter bytes() {
        return RateLimiter.of(
                bandwidth.map(size -> OptionalLong.of(size.bytes())).orElseGet(OptionalLong::empty));
    }

    /** What holds the requests. */
    public RateLimiter turns() {
        return RateLimiter.of(requests.isPresent() ? OptionalLong.of(requests.getAsInt()) : OptionalLong.empty());
    }
}
