package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.function.server.RouterFunctions;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * Tests the responses to probes in each state: a supervisor that restarts a gateway which is starting never lets it
 * start.
 */
class HealthRoutesTest {
    @ParameterizedTest
    @CsvSource({
        "STARTING, 200, 503, 503",
        "READY, 200, 200, 200",
        "METADATA_STORE_UNAVAILABLE, 200, 200, 503",
        "CLUSTER_UNCONFIRMED, 200, 200, 503",
        "STOPPING, 200, 200, 503"
    })
    void liveInEveryState(ServingState state, int live, int health, int ready) throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        DisposableServer server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(RouterFunctions.toHttpHandler(
                        HealthAndMetricsRoutes.of(registry, () -> state, () -> Optional.of("gw-1 is missing")))))
                .bindNow();
        try {
            assertThat(status(server, "/live")).isEqualTo(live);
            assertThat(status(server, "/health")).isEqualTo(health);
            assertThat(status(server, "/ready")).isEqualTo(ready);
            assertThat(MillraceProcess.get("http://127.0.0.1:" + server.port() + "/ready")
                            .contains("gw-1 is missing"))
                    .isEqualTo(state == ServingState.CLUSTER_UNCONFIRMED);
        } finally {
            server.disposeNow();
        }
    }

    private static int status(DisposableServer server, String path) throws Exception {
        return Integer.parseInt(
                MillraceProcess.get("http://127.0.0.1:" + server.port() + path).substring(0, 3));
    }
}
