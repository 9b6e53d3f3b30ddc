package io.millrace.gateway.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.s3.connection.RefusalReason;
import io.millrace.gateway.s3.observe.OutcomeCategory;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that clients notice nothing when the TLS context of the S3 port changes: no request and no handshake fails. */
@Timeout(180)
class RenewedCertificateTest {
    @Test
    void changesUnderLoadFailNoRequest() throws Exception {
        assertChangesFailNoRequest(20);
    }

    @Test
    @Tag("long")
    void twoHundredChangesUnderLoadFailNoRequest() throws Exception {
        assertChangesFailNoRequest(200);
    }

    private void assertChangesFailNoRequest(int changes) throws Exception {
        InMemoryBackend backend = new InMemoryBackend();
        backend.store(new ObjectRef(new BucketName("pub"), new ObjectKey("key")), new byte[20_000], HeaderList.EMPTY);
        List<TestCertificate> certificates = List.of(TestCertificate.create("a"), TestCertificate.create("b"));
        AtomicReference<SslContext> current =
                new AtomicReference<>(certificates.get(1).context().get());
        AtomicInteger served = new AtomicInteger();
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try (TestGateway gateway = TestGateway.builder()
                .tls(current::get)
                .bucket("pub", backend, "", "read")
                .start()) {
            List<Future<?>> clients = List.of(
                    pool.submit(() -> readOnOneConnection(gateway, done, served)),
                    pool.submit(() -> readOnNewConnections(gateway, done, served)));
            try {
                for (int i = 0; i < changes; i++) {
                    int servedBefore = served.get();
                    // A new one each time, as of files that are read again: only connections have the last one then.
                    current.set(certificates.get(i % 2).context().get());
                    Polling.until(
                            "a request is served after the change",
                            () -> served.get() != servedBefore || isAnyDone(clients));
                }
            } finally {
                done.set(true);
            }
            for (Future<?> client : clients) {
                client.get(60, TimeUnit.SECONDS); // throws its failure
            }
            assertThat(served.get()).isGreaterThanOrEqualTo(changes);
            assertThat(gateway.refused(RefusalReason.HANDSHAKE)).isZero();
            assertThat(gateway.requests()).allMatch(request -> request.outcome() == OutcomeCategory.OK);
        } finally {
            pool.shutdownNow();
        }
    }

    private static @Nullable Void readOnOneConnection(TestGateway gateway, AtomicBoolean done, AtomicInteger served)
            throws IOException {
        try (RawClient client = gateway.connect()) {
            while (!done.get()) {
                read(client, served);
            }
        }
        return null;
    }

    private static @Nullable Void readOnNewConnections(TestGateway gateway, AtomicBoolean done, AtomicInteger served)
            throws IOException {
        while (!done.get()) {
            try (RawClient client = gateway.connect()) {
                read(client, served);
            }
        }
        return null;
    }

    private static void read(RawClient client, AtomicInteger served) throws IOException {
        RawClient.Response response = client.send("GET /pub/key HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.body()).hasSize(20_000);
        served.incrementAndGet();
    }

    private static boolean isAnyDone(List<Future<?>> clients) {
        return clients.stream().anyMatch(Future::isDone);
    }
}
