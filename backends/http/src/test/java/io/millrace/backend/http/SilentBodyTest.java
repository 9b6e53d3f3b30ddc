package io.millrace.backend.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.server.ScriptedServer;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

/** A body whose server is silent in its middle goes on while that says that it lives, and fails when it does not. */
class SilentBodyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration NEVER = Duration.ofHours(1);
    private static final Duration SILENCE = Duration.ofMillis(1);

    private final HttpConnectionPool pool =
            new HttpConnectionPool(new HttpPoolSettings("test", 1, PATIENCE, PATIENCE, OutboundSettings.DEFAULTS));
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private ScriptedServer server;

    @BeforeEach
    void start() throws IOException {
        server = ScriptedServer.start((request, wire) -> {
            wire.head("200 OK", "Content-Length: 4");
            wire.text("ab");
            goesOn.await();
            wire.text("cd");
        });
    }

    @AfterEach
    void stop() throws IOException {
        goesOn.countDown();
        pool.close().block(PATIENCE);
        server.close();
    }

    @Test
    void serverThatLivesMayTakeItsTime() {
        AtomicInteger asked = new AtomicInteger();
        ResponseBody body = body();
        body.askWhenSilent(SILENCE, Mono.fromRunnable(asked::incrementAndGet));

        CompletableFuture<String> read = read(body);

        Polling.until("it is asked again", () -> asked.get() >= 2);
        goesOn.countDown();
        assertThat(read.join()).isEqualTo("abcd");
    }

    @Test
    void bodyOfAServerThatDoesNotSayThatItLivesFails() {
        ResponseBody body = body();
        body.askWhenSilent(SILENCE, Mono.error(new IOException("no response")));

        assertThatThrownBy(() -> read(body).join())
                .hasCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("nor that it lives");
    }

    @Test
    void bodyThatFailsBeforeAnybodyReadsItFailsItsReader() {
        AtomicInteger asked = new AtomicInteger();
        ResponseBody body = body();
        body.askWhenSilent(SILENCE, Mono.error(() -> new IOException("no response " + asked.incrementAndGet())));
        Polling.until("it is asked", () -> asked.get() > 0);

        assertThatThrownBy(() -> read(body).join())
                .hasCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("nor that it lives");
    }

    /** It is the reader that is silent then. */
    @Test
    void serverIsNotAskedWhileItsReaderAsksForNothing() {
        AtomicInteger asked = new AtomicInteger();
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> second = new CompletableFuture<>();
        BaseSubscriber<String> reader = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(1);
            }

            @Override
            protected void hookOnNext(String text) {
                if (!first.complete(text)) {
                    second.complete(text);
                }
            }

            @Override
            protected void hookOnError(Throwable failure) {
                first.completeExceptionally(failure);
                second.completeExceptionally(failure);
            }
        };
        ResponseBody body = body();
        body.askWhenSilent(SILENCE, Mono.fromRunnable(asked::incrementAndGet));
        body.map(SilentBodyTest::released).subscribe(reader);
        assertThat(first).succeedsWithin(PATIENCE).isEqualTo("ab");

        int before = asked.get();
        Polling.holdsFor(Duration.ofSeconds(1), () -> asked.get() == before);
        reader.request(1);

        Polling.until("it is asked again", () -> asked.get() > before);
        goesOn.countDown();
        assertThat(second).succeedsWithin(PATIENCE).isEqualTo("cd");
    }

    private ResponseBody body() {
        InetSocketAddress address =
                InetSocketAddress.createUnresolved("127.0.0.1", server.uri().getPort());
        HttpRequestHead head = new HttpRequestHead("GET", address, "/", HeaderList.EMPTY.with("host", "test"));
        return new HttpRequestSender(pool.client())
                .send(head, OutgoingRequestBody.EMPTY, new HttpTimeouts(NEVER, NEVER, NEVER))
                .blockOptional(PATIENCE)
                .orElseThrow()
                .body();
    }

    private static CompletableFuture<String> read(ResponseBody body) {
        return body.map(SilentBodyTest::released).reduce("", String::concat).toFuture();
    }

    private static String released(ByteBuf piece) {
        String text = piece.toString(StandardCharsets.US_ASCII);
        piece.release();
        return text;
    }
}
