package io.millrace.backend.s3;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.NettyOutbound;

/** What goes out behind the head of a request. */
interface Outgoing {
    /** Nothing. */
    Outgoing NOTHING = out -> out;

    /** Bytes at hand. */
    static Outgoing of(ByteBuffer bytes) {
        return bytes.hasRemaining() ? out -> out.sendObject(Unpooled.wrappedBuffer(bytes)) : NOTHING;
    }

    /** Sends head and body. */
    Publisher<Void> over(NettyOutbound out);

    /** Completes when all is sent, or no more will be: then the server's time for an answer begins. */
    default Mono<Void> sent() {
        return Mono.empty();
    }

    /** The head of the answer is here: whatever was not sent will not be. */
    default void answered() {}
}
