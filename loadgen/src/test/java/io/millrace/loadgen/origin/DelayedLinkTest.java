package io.millrace.loadgen.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;

/** Tests the delay and the window of the link. */
class DelayedLinkTest {
    @Test
    void linkDelaysTrafficAndBoundsBytesInFlight() throws InterruptedException {
        DisposableServer origin = new SyntheticOrigin(Duration.ZERO).listen("127.0.0.1", 0);
        InetSocketAddress target = new InetSocketAddress(InetAddress.getLoopbackAddress(), origin.port());
        Channel link = new DelayedLink(target, Duration.ofMillis(40), 1 << 20)
                .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try {
            int port = ((InetSocketAddress) link.localAddress()).getPort();

            // One round trip to connect and one for the response.
            assertThat(read(port, "a/1")).isGreaterThanOrEqualTo(Duration.ofMillis(80));
            // 20 windows of 1 MiB take some 20 round trips.
            assertThat(read(port, "a/20971520")).isGreaterThan(Duration.ofMillis(700));
        } finally {
            link.close().sync();
            origin.disposeNow();
        }
    }

    private static Duration read(int port, String key) {
        long start = System.nanoTime();
        byte[] body = HttpClient.newConnection()
                .get()
                .uri("http://127.0.0.1:" + port + "/bucket/" + key)
                .responseContent()
                .aggregate()
                .asByteArray()
                .block();
        assertThat(Objects.requireNonNull(body)).isNotEmpty();
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
