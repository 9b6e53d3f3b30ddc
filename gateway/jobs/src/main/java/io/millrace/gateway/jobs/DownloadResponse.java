package io.millrace.gateway.jobs;

import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.HttpDate;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import reactor.core.publisher.Flux;

/**
 * The response to a download's request to a web server, whose headers have arrived and whose body can still be
 * streamed.
 *
 * @param requested the URL after redirects
 * @param length bytes of the body; empty if unknown
 * @param isFramed false if a cut connection looks like the end of the body
 * @param body subscribe at most once, and before the use of the response has ended; arrives on demand in small buffers,
 *     which the subscriber releases; fails with {@link FetchException}s
 */
record DownloadResponse(
        WebUrl requested, int status, HeaderList headers, OptionalLong length, boolean isFramed, Flux<ByteBuf> body) {
    /** The longest delay accepted from {@code Retry-After}. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    /** Returns the range of a partial response; empty if the header is missing or invalid. */
    Optional<ContentRange> range() {
        return headers.first("content-range").flatMap(ContentRange::parse);
    }

    /** Returns the failure for a status that brings no content. */
    FetchException refusal() {
        String text = "%s answered %d".formatted(requested.authority(), status);
        boolean isPassing =
                status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501 && status != 505);
        return isPassing ? FetchException.passing(text, pause()) : FetchException.lasting(text);
    }

    private Optional<Duration> pause() {
        return headers.first("retry-after").flatMap(DownloadResponse::pause).map(wanted -> {
            Duration least = wanted.isNegative() ? Duration.ZERO : wanted;
            return least.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : least;
        });
    }

    private static Optional<Duration> pause(String field) {
        String text = field.strip();
        if (text.matches("[0-9]{1,9}")) {
            return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
        }
        return HttpDate.parse(text).map(until -> Duration.between(Instant.now(), until));
    }
}
