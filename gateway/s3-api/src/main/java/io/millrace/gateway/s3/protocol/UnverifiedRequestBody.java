package io.millrace.gateway.s3.protocol;

import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;

/**
 * The body of a request as received from the socket: not verified, and with the framing of aws-chunked.
 *
 * @param announcedLength the length in the headers; -1 if a body without a length is announced, 0 if there is no body
 * @param content read from the socket on demand; subscribed to at most once. The subscriber owns each buffer.
 *     Subscribing sends {@code 100 Continue} to a client that waits for it
 */
public record UnverifiedRequestBody(long announcedLength, Flux<ByteBuf> content) {
    /** The absence of a body. */
    public static final UnverifiedRequestBody NONE = new UnverifiedRequestBody(0, Flux.empty());
}
