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

/**
 * Routes of the control port that need no authentication: health and metrics. All other routes belong to the API, which
 * authenticates.
 */
final class HealthAndMetricsRoutes {
    private static final MediaType PROMETHEUS = MediaType.parseMediaType("text/plain;version=0.0.4;charset=utf-8");

    private HealthAndMetricsRoutes() {}

    /**
     * @param serving returns whether S3 is served now
     */
    static RouterFunction<ServerResponse> of(PrometheusMeterRegistry registry, BooleanSupplier serving) {
        return RouterFunctions.route()
                .route(reads("/health"), request -> health(serving.getAsBoolean()))
                .route(
                        reads("/metrics"),
                        request -> ServerResponse.ok().contentType(PROMETHEUS).bodyValue(registry.scrape()))
                .build();
    }

    /** Matches GET, and HEAD, to which the server responds without the body. */
    private static RequestPredicate reads(String path) {
        return RequestPredicates.path(path).and(RequestPredicates.methods(HttpMethod.GET, HttpMethod.HEAD));
    }

    private static Mono<ServerResponse> health(boolean up) {
        return ServerResponse.status(up ? 200 : 503)
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(Map.of("status", up ? "up" : "stopping"));
    }
}
