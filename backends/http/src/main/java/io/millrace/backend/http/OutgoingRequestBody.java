package io.millrace.backend.http;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.NettyOutbound;

/** The body of a request, written after its headers. */
public interface OutgoingRequestBody {
    /** No body. */
    OutgoingRequestBody EMPTY = out -> out;

    /** Returns a body of these bytes. */
    static OutgoingRequestBody of(ByteBuffer bytes) {
        return bytes.hasRemaining() ? out -> out.sendObject(Unpooled.wrappedBuffer(bytes)) : EMPTY;
    }

    /**
     * Returns no body, for which the first-byte timeout starts when the headers are sent, not while the request waits
     * for a connection.
     */
    static OutgoingRequestBody emptyTimedFromSend() {
        Sinks.Empty<Void> sent = Sinks.empty();
        return new OutgoingRequestBody() {
            @Override
            public Publisher<Void> writeTo(NettyOutbound out) {
                sent.tryEmitEmpty();
                return out;
            }

            @Override
            public Mono<Void> sent() {
                return sent.asMono();
            }
        };
    }

    /** Sends headers and body. */
    Publisher<Void> writeTo(NettyOutbound out);

    /** Completes when the body is sent or its sending has ended; then the first-byte timeout starts. */
    default Mono<Void> sent() {
        return Mono.empty();
    }

    /** Signals that the response headers have arrived; the rest of the body is not sent. */
    default void responseStarted() {}
}
