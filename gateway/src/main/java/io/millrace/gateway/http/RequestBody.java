package io.millrace.gateway.http;

import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;

/**
 * The body of a request as it comes from the socket, framing of aws-chunked included; nothing of it is verified.
 *
 * @param announced bytes that the head announces; -1 if it announces a body without its length, 0 if there is none
 * @param pieces read from the socket as they are asked for; subscribed to once, or never. The subscriber owns each piece. A
 *     client that waits for {@code 100-continue} is told to go on at subscription
 */
public record RequestBody(long announced, Flux<ByteBuf> pieces) {
    /** No body. */
    public static final RequestBody NONE = new RequestBody(0, Flux.empty());
}
