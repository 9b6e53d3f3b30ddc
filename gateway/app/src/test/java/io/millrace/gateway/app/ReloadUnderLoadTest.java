package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that no request fails while the settings are reloaded again and again. bench/reload.sh does it a thousand
 * times.
 */
class ReloadUnderLoadTest {
    private static final int RELOADS = 40;
    private static final String BODY = "x".repeat(100_000);

    /** Versions of the backends, each of which needs a backend of its own; all have the same folder. */
    private static final List<String> BACKENDS = List.of(
            ReloadFixture.NEAR, ReloadFixture.NEAR.replace(" }", ", resilience: { tries: 2 } }"), ReloadFixture.NEAR);

    private static final List<String> BUCKETS = List.of(
            "{ name: data, backend: near, freshness: { mode: strict } }",
            "{ name: other, backend: near }, { name: data, backend: near, freshness: { ttl: 1s } }");

    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicInteger served = new AtomicInteger();

    /** A request of a client on its connection. */
    private interface Exchange {
        RawClient.Response send(RawClient connection) throws IOException;
    }

    @Test
    void reloadsUnderLoadFailNoRequest(@TempDir Path folder) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        try (ReloadFixture millrace = new ReloadFixture(folder)) {
            millrace.store("near/data/large", "y".repeat(3_000_000));
            List<Future<?>> clients = List.of(
                    pool.submit(() -> repeat(millrace, connection -> get(millrace, connection, "/data/key"))),
                    pool.submit(() -> repeat(millrace, connection -> get(millrace, connection, "/data/large"))),
                    pool.submit(() -> repeat(millrace, connection -> put(millrace, connection))));
            try {
                for (int i = 0; i < RELOADS; i++) {
                    int before = served.get();
                    millrace.write(
                            BACKENDS.get(i % BACKENDS.size()),
                            BUCKETS.get(i % BUCKETS.size()),
                            i % 2 == 0 ? "" : ReloadFixture.ALICE_SETTINGS,
                            "");
                    assertThat(millrace.reload().text()).contains("\"problems\":[]", "\"path\"");
                    Polling.until(
                            "requests after the reload",
                            () -> served.get() > before + 3 || clients.stream().anyMatch(Future::isDone));
                }
            } finally {
                done.set(true);
            }
            for (Future<?> client : clients) {
                client.get(60, TimeUnit.SECONDS); // throws its failure
            }
            assertThat(millrace.meter("millrace_settings_reloads_total{outcome=\"applied\"}"))
                    .isEqualTo(RELOADS + ".0");
        } finally {
            pool.shutdownNow();
        }
    }

    private @Nullable Void repeat(ReloadFixture millrace, Exchange exchange) throws IOException {
        try (RawClient connection = millrace.connect()) {
            while (!done.get()) {
                RawClient.Response response = exchange.send(connection);
                assertThat(response.status()).as(response.body()).isEqualTo(200);
                served.incrementAndGet();
            }
        }
        return null;
    }

    private static RawClient.Response get(ReloadFixture millrace, RawClient connection, String target)
            throws IOException {
        return millrace.get(connection, ReloadFixture.ADMIN, target);
    }

    private static RawClient.Response put(ReloadFixture millrace, RawClient connection) throws IOException {
        String head = millrace.client(ReloadFixture.ADMIN)
                .request("PUT", "/data/written", Map.of("content-length", "" + BODY.length()));
        return connection.send(head + BODY);
    }
}
