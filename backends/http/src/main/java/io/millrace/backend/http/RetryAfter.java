package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.HttpDate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Parses the header {@code Retry-After} (RFC 9110, 10.2.3): seconds or a date. */
public final class RetryAfter {
    private static final int MAX_DIGITS = 9;

    private RetryAfter() {}

    /** Returns the failure with the pause that the headers of its response ask for, if they do. */
    public static BackendException addTo(BackendException failure, HeaderList fields) {
        return fields.first("retry-after")
                .flatMap(field -> parse(field, Instant.now()))
                .map(failure::withRetryAfter)
                .orElse(failure);
    }

    /** Returns the pause, not negative; empty if the field has neither form. */
    public static Optional<Duration> parse(String field, Instant now) {
        String text = field.strip();
        boolean isSeconds =
                !text.isEmpty() && text.length() <= MAX_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
        if (isSeconds) {
            return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
        }
        return HttpDate.parse(text)
                .map(date -> Duration.between(now, date))
                .map(pause -> pause.isNegative() ? Duration.ZERO : pause);
    }
}
