package io.millrace.backend.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.testkit.Polling;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Tests how long connections of a pool are used, and what a request gets when there is none. */
class HttpConnectionPoolTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final AtomicInteger connections = new AtomicInteger();
    private final DisposableServer server = HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .doOnChannelInit((observer, channel, address) -> connections.incrementAndGet())
            .handle((request, response) -> response.status(204).send())
            .bindNow();

    @Test
    void connectionInSteadyUseIsReplacedInTime() {
        HttpConnectionPool pool = new HttpConnectionPool(settings(), Duration.ofMillis(200));
        try {
            Polling.until("new connections are made", () -> {
                assertThat(status(pool)).isEqualTo(204);
                return connections.get() >= 3;
            });
        } finally {
            pool.close().block(PATIENCE);
            server.disposeNow();
        }
    }

    @Test
    void connectionIsReusedUntilThen() {
        HttpConnectionPool pool = new HttpConnectionPool(settings());
        try {
            for (int i = 0; i < 50; i++) {
                assertThat(status(pool)).isEqualTo(204);
            }

            assertThat(connections).hasValue(1);
        } finally {
            pool.close().block(PATIENCE);
            server.disposeNow();
        }
    }

    @Test
    void requestWithoutAFreeConnectionIsABoundOfTheGateway() {
        DisposableServer silent = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle((request, response) -> Mono.never())
                .bindNow();
        HttpConnectionPool pool = new HttpConnectionPool(
                new HttpPoolSettings("test", 1, PATIENCE, Duration.ofMillis(50), OutboundSettings.DEFAULTS));
        Disposable first = request(pool, silent.port()).subscribe();
        try {
            assertThatThrownBy(() -> request(pool, silent.port()).block(PATIENCE))
                    .isInstanceOfSatisfying(BackendException.class, failure -> {
                        assertThat(failure.kind()).isEqualTo(FailureKind.BUSY);
                        assertThat(failure.isUnprocessed()).isTrue();
                    });
        } finally {
            first.dispose();
            pool.close().block(PATIENCE);
            silent.disposeNow();
            server.disposeNow();
        }
    }

    @Test
    void afterTheCloseNoRequestIsBegun() {
        HttpConnectionPool pool = new HttpConnectionPool(settings());
        AtomicInteger begun = new AtomicInteger();
        Mono<Integer> request = pool.whileOpen(Mono.fromSupplier(begun::incrementAndGet));
        try {
            assertThat(request.block(PATIENCE)).isEqualTo(1);
        } finally {
            pool.close().block(PATIENCE);
            server.disposeNow();
        }

        assertThatThrownBy(() -> request.block(PATIENCE))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(FailureKind.UNAVAILABLE));
        assertThat(begun).hasValue(1);
    }

    private static Mono<Integer> request(HttpConnectionPool pool, int port) {
        return pool.client()
                .get()
                .uri("http://127.0.0.1:" + port + "/")
                .responseSingle((response, body) ->
                        body.then(Mono.just(response.status().code())))
                .onErrorMap(failure -> TransportFailures.of(failure, false));
    }

    private int status(HttpConnectionPool pool) {
        return request(pool, server.port()).blockOptional(PATIENCE).orElseThrow();
    }

    private static HttpPoolSettings settings() {
        return new HttpPoolSettings("test", 1, PATIENCE, PATIENCE, OutboundSettings.DEFAULTS);
    }
}
