package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.s3.connection.RefusalReason;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/**
 * Tests that clients who never complete a head are disconnected, and that no other slow client is: each holds a file
 * descriptor and memory.
 */
@Timeout(120)
class RequestHeadDeadlineTest {
    private static final String GET = "GET /pub/key HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String SLOW = "GET /pub/key HTTP/1.1\r\nHost: a\r\nX-Slow: ";
    private static final Duration DEADLINE = Duration.ofSeconds(1);

    private final InMemoryBackend backend = new InMemoryBackend();

    /** Returns a gateway to be completed. */
    TestGateway.Builder builder() {
        return TestGateway.builder();
    }

    /** Returns the number of clients of a flood. */
    int flood() {
        return 2_000;
    }

    @Test
    void closesASlowHeadHoweverOftenItSends() throws Exception {
        try (TestGateway gateway = gateway(DEADLINE);
                RawClient client = connect(gateway)) {
            long start = System.nanoTime();
            trickle(client, SLOW + "x".repeat(1000));

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(DEADLINE);
            assertThat(gateway.refused(RefusalReason.REQUEST_HEAD_TIMEOUT)).isEqualTo(1);
            Polling.until("the connection is gone", () -> gateway.connections() == 0);
        }
    }

    @Test
    void closesASlowHeadAfterServedRequests() throws Exception {
        try (TestGateway gateway = gateway(DEADLINE);
                RawClient client = connect(gateway)) {
            assertThat(client.send(GET).status()).isEqualTo(200);
            assertThat(client.send(GET).status()).isEqualTo(200);

            trickle(client, SLOW + "x".repeat(1000));

            assertThat(gateway.refused(RefusalReason.REQUEST_HEAD_TIMEOUT)).isEqualTo(1);
        }
    }

    @Test
    void servesAHeadThatArrivesInPiecesInTime() throws Exception {
        try (TestGateway gateway = gateway(Duration.ofSeconds(10));
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                client.socket().getOutputStream().write(SLOW.getBytes(StandardCharsets.US_ASCII));
                Thread.sleep(20); // so that the rest arrives apart
                assertThat(client.send("x\r\n\r\n").status()).isEqualTo(200);
            }
        }
    }

    @Test
    void doesNotApplyBetweenRequests() throws Exception {
        try (TestGateway gateway = gateway(DEADLINE);
                RawClient client = connect(gateway)) {
            Thread.sleep(DEADLINE.toMillis() * 3 / 2); // time itself is what is tested
            assertThat(client.send(GET).status()).isEqualTo(200);
            Thread.sleep(DEADLINE.toMillis() * 3 / 2);

            assertThat(client.send(GET).status()).isEqualTo(200);
        }
    }

    @Test
    void doesNotApplyToBodies() throws Exception {
        try (TestGateway gateway = builder()
                        .bucket("pub", new CountedUploads(backend))
                        .requestHead(DEADLINE)
                        .start();
                RawClient client = connect(gateway)) {
            SigningClient signer = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
            OutputStream out = client.socket().getOutputStream();
            out.write(signer.request("PUT", "/pub/slow", Map.of("content-length", "4"))
                    .getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 3; i++) {
                out.write('x');
                Thread.sleep(DEADLINE.toMillis() * 2 / 3); // time itself is what is tested
            }

            assertThat(client.send("x").status()).isEqualTo(200);
        }
    }

    @Test
    void doesNotApplyWhileAnEarlierResponseIsRead() throws Exception {
        int size = 8 * 1024 * 1024;
        store("large", size);
        try (TestGateway gateway = gateway(DEADLINE);
                RawClient client = connect(gateway)) {
            OutputStream out = client.socket().getOutputStream();
            out.write("GET /pub/large HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.write(SLOW.substring(0, 10).getBytes(StandardCharsets.US_ASCII));
            Thread.sleep(200); // so that the pieces arrive apart
            out.write(SLOW.substring(10).getBytes(StandardCharsets.US_ASCII));
            Thread.sleep(DEADLINE.toMillis() * 2); // time itself is what is tested
            out.write("x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            assertThat(client.send("").bytes()).hasSize(size);
            assertThat(client.send("").status()).isEqualTo(200);
            assertThat(gateway.refused(RefusalReason.REQUEST_HEAD_TIMEOUT)).isZero();
        }
    }

    @Test
    void slowHeadsDoNotStopOthers() throws Exception {
        try (TestGateway gateway = gateway(Duration.ofMinutes(10));
                SlowHeads slow = new SlowHeads(gateway, flood())) {
            Polling.until("all are accepted", () -> gateway.connections() == flood());
            slow.start();
            for (int i = 0; i < 20; i++) {
                try (RawClient client = connect(gateway)) {
                    assertThat(client.send(GET).status()).isEqualTo(200);
                }
            }
            assertThat(gateway.refused(RefusalReason.REQUEST_HEAD_TIMEOUT))
                    .as("requests were served meanwhile")
                    .isZero();
        }
    }

    @Test
    void closesEachOfManySlowHeads() throws Exception {
        try (TestGateway gateway = gateway(DEADLINE.multipliedBy(3));
                SlowHeads slow = new SlowHeads(gateway, flood())) {
            slow.start();
            Polling.until("all are closed", () -> gateway.refused(RefusalReason.REQUEST_HEAD_TIMEOUT) == flood());
            Polling.until("none is open", () -> gateway.connections() == 0);
        }
    }

    /** Connects. Over TLS the deadline is that of the handshake too, which this thread may miss by standing still. */
    private static RawClient connect(TestGateway gateway) throws IOException {
        while (true) {
            long start = System.nanoTime();
            try {
                return gateway.connect();
            } catch (IOException closed) {
                if (System.nanoTime() - start < DEADLINE.toNanos()) {
                    throw closed;
                }
            }
        }
    }

    /** Sends one byte at a time until the server has closed the connection. */
    private static void trickle(RawClient client, String bytes) throws Exception {
        try {
            for (byte b : bytes.getBytes(StandardCharsets.US_ASCII)) {
                client.socket().getOutputStream().write(b);
                Thread.sleep(50); // the client is slow
            }
            throw new AssertionError("the server took all of a slow head");
        } catch (SocketException closed) {
            // as it should
        }
    }

    /** Clients that have begun a head and, once started, go on with it byte by byte. */
    private static final class SlowHeads implements AutoCloseable {
        private final List<RawClient> clients = new ArrayList<>();
        private final AtomicBoolean done = new AtomicBoolean();
        private final Thread thread = new Thread(this::trickle, "slow-heads");

        SlowHeads(TestGateway gateway, int count) throws IOException {
            for (int i = 0; i < count; i++) {
                RawClient client = connect(gateway);
                clients.add(client);
                client.socket().getOutputStream().write(SLOW.getBytes(StandardCharsets.US_ASCII));
            }
        }

        void start() {
            thread.start();
        }

        /** Slowly: a head that is too large is refused for that. */
        private void trickle() {
            while (!done.get()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                for (RawClient client : clients) {
                    try {
                        client.socket().getOutputStream().write('x');
                    } catch (IOException closed) {
                        // This one is cut already.
                    }
                }
            }
        }

        @Override
        public void close() throws IOException, InterruptedException {
            done.set(true);
            thread.join();
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /** Takes uploads of 4 bytes and stores none. */
    private static final class CountedUploads extends PassingBackend {
        CountedUploads(Backend inner) {
            super(inner);
        }

        @Override
        public Set<Capability> capabilities() {
            return EnumSet.of(Capability.LIST, Capability.WRITE);
        }

        @Override
        public Mono<WriteResult> put(NewObject object, UploadBody body) {
            return body.pieces()
                    .map(piece -> {
                        int size = piece.readableBytes();
                        piece.release();
                        return size;
                    })
                    .reduce(Integer::sum)
                    .filter(sum -> sum == 4)
                    .map(all -> new WriteResult(Optional.empty(), HeaderList.EMPTY, Optional.empty()));
        }
    }

    private TestGateway gateway(Duration requestHead) {
        store("key", 100);
        return builder()
                .bucket("pub", backend, "", "read")
                .requestHead(requestHead)
                .start();
    }

    private void store(String key, int size) {
        backend.store(new ObjectRef(new BucketName("pub"), new ObjectKey(key)), new byte[size], HeaderList.EMPTY);
    }
}
