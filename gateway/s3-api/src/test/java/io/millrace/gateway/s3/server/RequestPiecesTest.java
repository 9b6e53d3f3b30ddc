package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.local.LocalChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

class RequestPiecesTest {
    private final EventLoop loop = new DefaultEventLoop();
    private final LocalChannel channel = new LocalChannel();

    @BeforeEach
    void register() {
        loop.register(channel).syncUninterruptibly();
    }

    @AfterEach
    void stop() {
        channel.close().syncUninterruptibly();
        loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** Verifies that a request from a backend's thread is not lost while the client gets 100 Continue. */
    @Test
    void connectionIsReadOnItsEventLoopOnly() throws Exception {
        List<Boolean> onLoop = new CopyOnWriteArrayList<>();
        Flux<ByteBuf> received = Flux.<ByteBuf>never()
                .doOnRequest(n -> onLoop.add(loop.inEventLoop()))
                .doOnCancel(() -> onLoop.add(loop.inEventLoop()));
        Reader reader = new Reader();

        new TimedRequestBody(10, received, channel, Duration.ofMinutes(5)).subscribe(reader);
        reader.request(1);
        loop.submit(() -> reader.request(1)).get();
        reader.cancel();
        loop.submit(() -> {}).get();

        assertThat(onLoop).containsExactly(true, true, true);
    }

    /** Requests nothing by itself. */
    private static final class Reader extends BaseSubscriber<ByteBuf> {
        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // Only the test requests data.
        }
    }
}
