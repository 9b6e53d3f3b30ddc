package io.millrace.backend.testkit.data;

import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * A body whose pieces come when the test says so, also after a cancellation, as one does that another thread has sent
 * before.
 */
public final class ManualPieces extends Flux<ByteBuf> {
    private @Nullable CoreSubscriber<? super ByteBuf> receiver;

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> actual) {
        receiver = actual;
        actual.onSubscribe(Operators.emptySubscription());
    }

    /** Emits a piece, which is the receiver's from then on. */
    public void emit(ByteBuf piece) {
        Objects.requireNonNull(receiver, "nobody has subscribed").onNext(piece);
    }
}
