package io.millrace.backend.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.netty.ByteBufFlux;
import reactor.netty.Connection;
import reactor.netty.NettyInbound;
import reactor.test.publisher.TestPublisher;

/** Tests that the end of a connection reaches the reader of a body, whenever it comes. */
class ResponseBodyTest {
    private static final Duration LONG = Duration.ofHours(1);

    /** Its event loop runs when it is told to. */
    private final EmbeddedChannel channel = new EmbeddedChannel();

    private final TestPublisher<Object> received = TestPublisher.create();
    private final List<String> signals = new ArrayList<>();
    private final ResponseBody body = ResponseBody.of(new ScriptedConnection(), new HttpTimeouts(LONG, LONG, LONG));

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void readerThatIsBeingGivenItsSubscriptionFailsAfterIt() {
        body.subscribe(reader(this::abort));
        assertThat(signals)
                .as("nothing may come before the subscription is given")
                .containsExactly("begun");

        channel.runPendingTasks();

        assertThat(signals).containsExactly("begun", "cut");
        received.assertCancelled();
    }

    @Test
    void readerFailsOnceIfTheConnectionEndsTwice() {
        body.subscribe(reader(() -> {
            abort();
            ResponseBody.abort(channel, new IllegalStateException("again"));
        }));

        channel.runPendingTasks();

        assertThat(signals).hasSize(2).startsWith("begun");
    }

    @Test
    void readerOfAConnectionThatHasEndedFails() {
        abort();

        body.subscribe(reader(() -> {}));

        assertThat(signals).containsExactly("begun", "cut");
    }

    private void abort() {
        ResponseBody.abort(channel, new IllegalStateException("cut"));
        channel.runPendingTasks();
    }

    /** @param meanwhile what another thread does while the reader is given its subscription */
    private BaseSubscriber<ByteBuf> reader(Runnable meanwhile) {
        return new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                meanwhile.run();
                signals.add("begun");
            }

            @Override
            protected void hookOnError(Throwable failure) {
                signals.add(String.valueOf(failure.getMessage()));
            }
        };
    }

    private final class ScriptedConnection implements Connection {
        @Override
        public Channel channel() {
            return channel;
        }

        @Override
        public NettyInbound inbound() {
            return new NettyInbound() {
                @Override
                public ByteBufFlux receive() {
                    return ByteBufFlux.fromInbound(receiveObject());
                }

                @Override
                public Flux<?> receiveObject() {
                    return received.flux();
                }

                @Override
                public NettyInbound withConnection(Consumer<? super Connection> consumer) {
                    consumer.accept(ScriptedConnection.this);
                    return this;
                }
            };
        }
    }
}
