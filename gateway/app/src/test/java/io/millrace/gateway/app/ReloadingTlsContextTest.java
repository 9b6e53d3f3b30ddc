package io.millrace.gateway.app;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadingTlsContextTest {
    @TempDir
    private Path folder;

    private ReloadingTlsContext context;

    @BeforeEach
    void load() throws IOException {
        TestCertificate.create("first").write(folder);
        context = ReloadingTlsContext.load("s3", TestCertificate.settings(folder));
    }

    @Test
    void unchangedFilesKeepTheContext() {
        SslContext before = context.get();

        context.reloadIfChanged();

        assertThat(context.get()).isSameAs(before);
    }

    @Test
    void unusableFilesKeepTheContextUntilTheyAreMended() throws IOException {
        SslContext before = context.get();
        // With a longer name: a change within a tick of file times shows by the size only.
        TestCertificate second = TestCertificate.create("second-certificate");

        Files.writeString(folder.resolve("certificate.pem"), second.bundle().getCertificatePathPEM());
        context.reloadIfChanged(); // the key is still the first one's
        assertThat(context.get()).isSameAs(before);
        assertThat(context.isFailing()).isTrue();
        Files.delete(folder.resolve("key.pem"));
        context.reloadIfChanged();
        assertThat(context.get()).isSameAs(before);
        Files.writeString(folder.resolve("key.pem"), "-----BEGIN PRIVATE KEY-----\nbroken");
        context.reloadIfChanged();
        assertThat(context.get()).isSameAs(before);

        second.write(folder);
        context.reloadIfChanged();

        assertThat(context.get()).isNotSameAs(before);
        assertThat(context.isFailing()).isFalse();
    }

    @Test
    void reloadsUnderLoadFailNoRequest() throws Exception {
        assertReloadsFailNoRequest(20);
    }

    @Test
    @Tag("long")
    void twoHundredReloadsUnderLoadFailNoRequest() throws Exception {
        assertReloadsFailNoRequest(200);
    }

    private void assertReloadsFailNoRequest(int reloads) throws Exception {
        InMemoryBackend backend = new InMemoryBackend();
        backend.store(new ObjectRef(new BucketName("pub"), new ObjectKey("key")), new byte[20_000], HeaderList.EMPTY);
        List<TestCertificate> certificates = List.of(TestCertificate.create("a"), TestCertificate.create("longer"));
        AtomicInteger served = new AtomicInteger();
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try (TestGateway gateway = TestGateway.builder()
                .tls(context)
                .bucket("pub", backend, "", "read")
                .start()) {
            List<Future<?>> clients = List.of(
                    pool.submit(() -> readOnOneConnection(gateway, done, served)),
                    pool.submit(() -> readOnNewConnections(gateway, done, served)));
            try {
                for (int i = 0; i < reloads; i++) {
                    SslContext before = context.get();
                    int servedBefore = served.get();
                    certificates.get(i % 2).write(folder);
                    context.reloadIfChanged();
                    assertThat(context.get()).isNotSameAs(before);
                    Polling.until(
                            "a request is served after the reload",
                            () -> served.get() != servedBefore || isAnyDone(clients));
                }
            } finally {
                done.set(true);
            }
            for (Future<?> client : clients) {
                client.get(60, TimeUnit.SECONDS); // throws its failure
            }
            assertThat(served.get()).isGreaterThanOrEqualTo(reloads);
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
