package io.millrace.gateway.jobs.fetch;

import io.millrace.backend.spi.object.HeaderList;
import io.netty.buffer.ByteBuf;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.OptionalLong;
import reactor.core.publisher.Flux;

/**
 * An answer whose head is here.
 *
 * @param asked of which URL, after redirects
 * @param length bytes of the body, if they were told
 * @param isFramed whether the end of the body can be told from a connection that was cut
 * @param body to be subscribed to once, or never, before what was made of the answer has ended; it comes in small pieces, only as they
 *     are asked for, and the subscriber releases each; its failures are {@link FetchException}s
 */
public record DownloadResponse(
        WebUrl asked, int status, HeaderList headers, OptionalLong length, boolean isFramed, Flux<ByteBuf> body) {
    /** Nobody is left alone for longer, whatever is asked. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    /** What a partial answer brings; empty if it does not say that as it must. */
    public Optional<ContentRange> range() {
        return headers.first("content-range").flatMap(ContentRange::parse);
    }

    /** What its status means, where it does not bring what was asked for. */
    public FetchException refusal() {
        String text = "%s answered %d".formatted(asked.authority(), status);
        boolean isPassing =
                status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501 && status != 505);
        return isPassing ? FetchException.passing(text, pause()) : FetchException.lasting(text);
    }

    private Optional<Duration> pause() {
        return headers.first("retry-after").flatMap(DownloadResponse::pause).map(asked -> {
            Duration least = asked.isNegative() ? Duration.ZERO : asked;
            return least.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : least;
        });
    }

    private static Optional<Duration> pause(String field) {
        String text = field.strip();
        if (text.matches("[0-9]{1,9}")) {
            return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
        }
        try {
            Instant until = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text));
            return Optional.of(Duration.between(Instant.now(), until));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
