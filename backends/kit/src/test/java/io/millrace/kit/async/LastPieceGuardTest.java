package io.millrace.kit.async;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

class LastPieceGuardTest {
    private final Source source = new Source();
    private final Reader reader = new Reader();
    private final List<ByteBuf> made = new ArrayList<>();

    @AfterEach
    void everyPieceIsReleased() {
        assertThat(made).allMatch(piece -> piece.refCnt() == 0);
    }

    @Test
    void theLastPieceWaitsForTheEnd() {
        guard(5, () -> {});
        reader.request(10);
        source.emit(piece(3));
        source.emit(piece(2));
        assertThat(reader.bytes).isEqualTo(3);

        source.complete();
        assertThat(reader.bytes).isEqualTo(5);
        assertThat(reader.completed).isTrue();
    }

    @Test
    void oneMorePieceIsRequestedAfterTheLast() {
        guard(2, () -> {});
        reader.request(1);
        source.emit(piece(2));

        assertThat(source.requested).isEqualTo(2);
        source.complete();
        assertThat(reader.bytes).isEqualTo(2);
    }

    @Test
    void aFailedCheckKeepsTheLastPiece() {
        guard(4, () -> {
            throw new IllegalArgumentException("wrong checksum");
        });
        reader.request(10);
        source.emit(piece(1));
        source.emit(piece(3));
        source.complete();

        assertThat(reader.bytes).isEqualTo(1);
        assertThat(reader.failure).hasMessage("wrong checksum");
    }

    @Test
    void failureAfterTheLastByteWithholdsTheLastPiece() {
        guard(4, () -> {});
        reader.request(10);
        source.emit(piece(4));
        source.fail(new IllegalArgumentException("broken"));

        assertThat(reader.bytes).isZero();
        assertThat(reader.failure).hasMessage("broken");
    }

    @Test
    void aLongerBodyFails() {
        guard(4, () -> {});
        reader.request(10);
        source.emit(piece(4));
        source.emit(piece(1));

        assertThat(source.isCancelled).isTrue();
        assertThat(reader.bytes).isZero();
        assertThat(reader.failure).isInstanceOf(LastPieceGuard.WrongLengthException.class);
    }

    @Test
    void aShorterBodyFailsWithoutTheCheck() {
        AtomicInteger checks = new AtomicInteger();
        guard(4, checks::incrementAndGet);
        reader.request(10);
        source.emit(piece(3));
        source.complete();

        assertThat(reader.failure).isInstanceOf(LastPieceGuard.WrongLengthException.class);
        assertThat(checks).hasValue(0);
    }

    @Test
    void aCancelledReaderGetsNothingMore() {
        guard(4, () -> {});
        reader.request(10);
        source.emit(piece(4));
        reader.cancel();
        source.complete();

        assertThat(source.isCancelled).isTrue();
        assertThat(reader.bytes).isZero();
    }

    @Test
    void anEmptyBodyIsCheckedWithoutDemand() {
        AtomicInteger checks = new AtomicInteger();
        guard(0, checks::incrementAndGet);
        assertThat(source.requested).isEqualTo(1);
        source.complete();

        assertThat(checks).hasValue(1);
        assertThat(reader.completed).isTrue();
    }

    @Test
    void emptyPiecesAreReplaced() {
        guard(2, () -> {});
        reader.request(1);
        source.emit(piece(0));
        assertThat(source.requested).isEqualTo(2);

        source.emit(piece(2));
        source.complete();
        assertThat(reader.bytes).isEqualTo(2);
    }

    private void guard(long length, Runnable check) {
        LastPieceGuard.of(source, length, check).subscribe(reader);
    }

    private ByteBuf piece(int bytes) {
        ByteBuf piece = Unpooled.buffer(bytes + 1).writeZero(bytes);
        made.add(piece);
        return piece;
    }

    /** A publisher under the test's control. */
    private static final class Source implements Publisher<ByteBuf> {
        long requested;
        boolean isCancelled;
        private @Nullable Subscriber<? super ByteBuf> subscriber;

        @Override
        public void subscribe(Subscriber<? super ByteBuf> to) {
            subscriber = to;
            to.onSubscribe(new Subscription() {
                @Override
                public void request(long n) {
                    requested += n;
                }

                @Override
                public void cancel() {
                    isCancelled = true;
                }
            });
        }

        void emit(ByteBuf piece) {
            subscriber().onNext(piece);
        }

        void complete() {
            subscriber().onComplete();
        }

        void fail(Throwable failure) {
            subscriber().onError(failure);
        }

        private Subscriber<? super ByteBuf> subscriber() {
            Subscriber<? super ByteBuf> there = subscriber;
            assertThat(there).isNotNull();
            return Objects.requireNonNull(there);
        }
    }

    /** Counts and releases what it gets. */
    private static final class Reader extends BaseSubscriber<ByteBuf> {
        int bytes;
        boolean completed;

        @Nullable Throwable failure;

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // Requests nothing by itself.
        }

        @Override
        protected void hookOnNext(ByteBuf piece) {
            bytes += piece.readableBytes();
            piece.release();
        }

        @Override
        protected void hookOnComplete() {
            completed = true;
        }

        @Override
        protected void hookOnError(Throwable error) {
            failure = error;
        }
    }
}
