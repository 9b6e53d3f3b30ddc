package io.millrace.gateway.s3.protocol;

import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;

/**
 * The body of a request as it comes from the socket, framing of aws-chunked included; nothing of it is verified.
 *
 * @param announcedLength bytes that the head announces; -1 if it announces a body without its length, 0 if there is none
 * @param content read from the socket as they are asked for; subscribed to once, or never. The subscriber owns each piece. A
 *     client that waits for {@code 100-continue} is told to go on at subscription
 */
public record RequestBody(long announcedLength, Flux<ByteBuf> content) {
    /** No body. */
    public static final RequestBody NONE = new RequestBody(0, Flux.empty());
}
