package io.millrace.backend.spi;

import io.netty.buffer.ByteBuf;
import java.util.Optional;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * An opened object: its head, and the selected bytes on their way.
 *
 * <p>The body is subscribed to at most once, and whoever is handed the content must see to it: subscribe, or call
 * {@link #discard}; otherwise the connection behind it is held. It comes in small pieces (64 KiB at most), only as they
 * are requested, from any thread. The subscriber owns each piece and releases it; pieces not yet handed over are
 * released by the body on cancel, which also gives up the connection. It either brings exactly {@link #length} bytes or
 * fails with a {@link BackendException}: never a short body that looks whole.
 *
 * @param range the bytes the body brings, if a range or part was selected (206); empty means all (200)
 */
public record ObjectContent(ObjectHead head, Optional<ByteRange> range, Flux<ByteBuf> body) {
    /** Bytes of the body. */
    public long length() {
        return range.map(ByteRange::length).orElse(head.size());
    }

    /** Gives the body up unread and frees what is behind it. */
    public void discard() {
        giveUp(body);
    }

    static void giveUp(Flux<ByteBuf> body) {
        body.subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                cancel();
            }
        });
    }
}
