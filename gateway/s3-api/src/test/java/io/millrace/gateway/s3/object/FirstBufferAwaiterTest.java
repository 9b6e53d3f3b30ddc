package io.millrace.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.util.ReferenceCounted;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.test.publisher.TestPublisher;

/** The end of a body is behind its first buffer, whenever it comes. */
class FirstBufferAwaiterTest {
    private final TestPublisher<ReferenceCounted> source = TestPublisher.create();
    private final List<FirstBufferAwaiter> opened = new ArrayList<>();
    private final List<String> signals = new ArrayList<>();

    /** A reader during whose first buffer something else happens, as if on another thread. */
    private final class Reader extends BaseSubscriber<ReferenceCounted> {
        private final Runnable meanwhile;

        Reader(Runnable meanwhile) {
            this.meanwhile = meanwhile;
        }

        @Override
        protected void hookOnNext(ReferenceCounted piece) {
            meanwhile.run();
            signals.add("first");
            piece.release();
        }

        @Override
        protected void hookOnComplete() {
            signals.add("end");
        }

        @Override
        protected void hookOnError(Throwable failure) {
            signals.add("failure");
        }
    }

    private void end(boolean fails) {
        if (fails) {
            source.error(new IllegalStateException("broken"));
        } else {
            source.complete();
        }
    }

    private void open() {
        FirstBufferAwaiter.of(source.flux()).subscribe(opened::add);
        source.next(Unpooled.wrappedBuffer(new byte[7]));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endThatComesWhileTheFirstBufferIsPassedOnWaits(boolean fails) {
        open();

        opened.get(0).body().subscribe(new Reader(() -> end(fails)));

        assertThat(signals).containsExactly("first", fails ? "failure" : "end");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endThatComesBeforeTheReaderWaits(boolean fails) {
        open();
        end(fails);

        opened.get(0).body().subscribe(new Reader(() -> {}));

        assertThat(signals).containsExactly("first", fails ? "failure" : "end");
    }

    /** Whoever leaves may do so while another thread subscribes to the body. */
    @Test
    void bodyThatBeginsAfterACancellationIsCancelled() {
        BaseSubscriber<FirstBufferAwaiter> waiting = new BaseSubscriber<>() {};

        FirstBufferAwaiter.of(Flux.defer(() -> {
                    waiting.cancel();
                    return source.flux();
                }))
                .subscribe(waiting);

        source.assertCancelled();
        source.assertWasNotRequested();
    }
}
