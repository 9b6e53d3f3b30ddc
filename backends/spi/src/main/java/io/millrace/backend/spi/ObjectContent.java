package io.millrace.backend.spi;

import io.millrace.backend.spi.object.ByteRange;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * An opened object: its metadata, and the selected bytes as a stream.
 *
 * <p>The receiver must subscribe to the body once or call {@link #discard}; otherwise the body holds its connection.
 * The body emits buffers of at most 64 KiB, or 256 KiB from a cache, only on request, from any thread. The subscriber
 * owns each buffer and releases it. On cancel the body releases buffers that it has not emitted, and closes the
 * connection. The body emits exactly {@link #length} bytes or fails with a {@link BackendException}; it never completes
 * short.
 *
 * @param range the bytes of the body, if a range or part was selected (206); empty means all (200)
 */
public record ObjectContent(ObjectHead head, Optional<ByteRange> range, Flux<ByteBuf> body) {
    /** Returns the number of bytes in the body. */
    public long length() {
        return range.map(ByteRange::length).orElse(head.size());
    }

    /** Cancels the unread body and releases its connection. */
    public void discard() {
        cancelBody(body);
    }

    static void cancelBody(Flux<ByteBuf> body) {
        body.subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                cancel();
            }
        });
    }
}
