package io.millrace.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.ReservedPort;
import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Tests that the verifying client detects wrong bytes and failures. */
class ReadingTest {
    private DisposableServer origin;

    @BeforeEach
    void listen() {
        origin = new SyntheticOrigin(Duration.ZERO).listen("127.0.0.1", 0);
    }

    @AfterEach
    void stop() {
        origin.disposeNow();
    }

    @Test
    void wholeObjectsAndRangesAreRight() {
        ReadSummary whole = read(origin.port(), Long.MAX_VALUE, "a/0", "a/1", "b/17000000", "c/65537");
        ReadSummary parts = read(origin.port(), 1000, "b/17000000", "c/65537");

        assertThat(whole.text()).startsWith("right=4%nfailed=0%nwrong=0%n".formatted());
        assertThat(parts.text())
                .startsWith("right=2%nfailed=0%nwrong=0%n".formatted())
                .contains("bytes=2000");
    }

    @Test
    void anotherObjectOfTheSameSizeIsWrong() {
        assertThat(SyntheticObject.of("a/1000")
                        .orElseThrow()
                        .matches(0, SyntheticObject.of("b/1000").orElseThrow().bytes(0, 1000)))
                .isFalse();
        DisposableServer liar = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle((request, response) -> response.header("Content-Length", "1000")
                        .sendByteArray(reactor.core.publisher.Mono.just(new byte[1000])))
                .bindNow();
        try {
            assertThat(read(liar.port(), Long.MAX_VALUE, "a/1000").wrong()).isOne();
        } finally {
            liar.disposeNow();
        }
    }

    @Test
    void blockOfAnotherPlaceIsWrong() {
        SyntheticObject object = SyntheticObject.of("a/1099511627776").orElseThrow();
        for (int power = 12; power < 40; power++) {
            assertThat(object.matches(0, object.bytes(1L << power, 4096))).isFalse();
        }
        assertThat(object.matches(5, object.bytes(5, 4096))).isTrue();
    }

    @Test
    void refusedAndUnreachableIsFailed() throws IOException {
        try (ReservedPort nobody = new ReservedPort()) {
            ReadSummary summary = read(nobody.number(), Long.MAX_VALUE, "a/1", "b/1");

            assertThat(summary.failed()).isEqualTo(2);
            assertThat(summary.completed()).isEmpty();
        }
    }

    @Test
    void lineDelaysAConnectionAndAnAnswerAndBoundsWhatIsOnTheWay() throws InterruptedException {
        InetSocketAddress target = new InetSocketAddress(InetAddress.getLoopbackAddress(), origin.port());
        Channel line = new DelayedLink(target, Duration.ofMillis(40), 1 << 20)
                .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try {
            int port = ((InetSocketAddress) line.localAddress()).getPort();

            long first = read(port, Long.MAX_VALUE, "a/1").gots().get(0).nanos();
            assertThat(Duration.ofNanos(first)).isGreaterThanOrEqualTo(Duration.ofMillis(80));

            // 20 windows of 1 MiB take some 20 round trips.
            long large = read(port, Long.MAX_VALUE, "a/20971520").gots().get(0).nanos();
            assertThat(Duration.ofNanos(large)).isGreaterThan(Duration.ofMillis(700));
        } finally {
            line.close().sync();
        }
    }

    private static ReadSummary read(int port, long part, String... keys) {
        List<GetTarget> targets = IntStream.range(0, keys.length)
                .mapToObj(i -> GetTarget.of(keys[i], i, part))
                .toList();
        VerifyingClient client =
                new VerifyingClient(URI.create("http://127.0.0.1:" + port + "/bucket"), Optional.empty(), 2);
        return new ClosedLoop(client, 2, false).read(targets);
    }
}
