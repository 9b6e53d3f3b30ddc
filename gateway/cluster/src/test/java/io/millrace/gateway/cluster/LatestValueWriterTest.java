package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A state is durable when its write has completed, and no write is lost or overtaken by an older one. */
class LatestValueWriterTest {
    private final HeldStore store = new HeldStore();
    private final LatestValueWriter<String> writer = new LatestValueWriter<>(store);

    @Test
    void laterStateReplacesTheOneThatWaits() {
        CompletableFuture<Void> first = writer.write("first").toFuture();
        CompletableFuture<Void> second = writer.write("second").toFuture();
        CompletableFuture<Void> third = writer.write("third").toFuture();
        assertThat(store.written).containsExactly("first");

        store.complete();
        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
        assertThat(store.written).containsExactly("first", "third");
        store.complete();

        assertThat(second).isCompleted();
        assertThat(third).isCompleted();
    }

    @Test
    void failedWriteIsRepeated() {
        CompletableFuture<Void> first = writer.write("first").toFuture();
        store.fail();
        assertThat(first).isCompletedExceptionally();

        CompletableFuture<Void> settled = writer.settle().toFuture();
        assertThat(settled).isNotDone();
        store.complete();

        assertThat(settled).isCompleted();
        assertThat(store.written).containsExactly("first", "first");
        assertThat(writer.settle().toFuture()).isCompleted();
        assertThat(store.written).hasSize(2);
    }

    /** A store whose writes end when the test says so. */
    private static final class HeldStore implements DurableValue<String> {
        final List<String> written = new ArrayList<>();
        private Sinks.Empty<Void> running = Sinks.empty();

        @Override
        public String read() {
            return "";
        }

        @Override
        public Mono<Void> write(String value) {
            written.add(value);
            running = Sinks.empty();
            return running.asMono();
        }

        void complete() {
            running.tryEmitEmpty();
        }

        void fail() {
            running.tryEmitError(new IOException("disk full"));
        }
    }
}
