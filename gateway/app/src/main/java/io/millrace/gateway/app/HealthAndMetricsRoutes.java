package io.millrace.gateway.app;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RequestPredicate;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** What the control port answers to everybody: whether Millrace serves, and its meters. The rest is the API, which asks who asks. */
final class HealthAndMetricsRoutes {
    private static final MediaType PROMETHEUS = MediaType.parseMediaType("text/plain;version=0.0.4;charset=utf-8");

    private HealthAndMetricsRoutes() {}

    /**
     * @param serving whether S3 requests are answered now
     */
    static RouterFunction<ServerResponse> of(PrometheusMeterRegistry registry, BooleanSupplier serving) {
        return RouterFunctions.route()
                .route(reads("/health"), request -> health(serving.getAsBoolean()))
                .route(
                        reads("/metrics"),
                        request -> ServerResponse.ok().contentType(PROMETHEUS).bodyValue(registry.scrape()))
                .build();
    }

    /** A GET, or a HEAD, which the server answers without the body. */
    private static RequestPredicate reads(String path) {
        return RequestPredicates.path(path).and(RequestPredicates.methods(HttpMethod.GET, HttpMethod.HEAD));
    }

    private static Mono<ServerResponse> health(boolean up) {
        return ServerResponse.status(up ? 200 : 503)
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(Map.of("status", up ? "up" : "stopping"));
    }
}
