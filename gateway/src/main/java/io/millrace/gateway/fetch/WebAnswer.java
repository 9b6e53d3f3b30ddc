package io.millrace.gateway.fetch;

import io.millrace.backend.spi.HeaderList;
import io.netty.buffer.ByteBuf;
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
public record WebAnswer(
        WebUrl asked, int status, HeaderList headers, OptionalLong length, boolean isFramed, Flux<ByteBuf> body) {
    /** What a partial answer brings; empty if it does not say that as it must. */
    public Optional<ContentRange> range() {
        return headers.first("content-range").flatMap(ContentRange::parse);
    }
}
