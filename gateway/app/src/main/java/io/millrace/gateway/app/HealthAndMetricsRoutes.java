package io.millrace.gateway.app;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RequestPredicate;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * Routes of the control port that need no authentication: liveness, health, readiness and metrics. All other routes
 * belong to the API, which authenticates.
 */
final class HealthAndMetricsRoutes {
    private static final MediaType PROMETHEUS = MediaType.parseMediaType("text/plain;version=0.0.4;charset=utf-8");

    private HealthAndMetricsRoutes() {}

    /**
     * @param state returns the state of the gateway now
     * @param unconfirmed returns why the cluster has not confirmed this gateway, in a sentence; empty if it has
     */
    static RouterFunction<ServerResponse> of(
            PrometheusMeterRegistry registry, Supplier<ServingState> state, Supplier<Optional<String>> unconfirmed) {
        return RouterFunctions.route()
                .route(reads("/live"), request -> status(true, "live"))
                .route(reads("/health"), request -> health(state.get()))
                .route(reads("/ready"), request -> ready(state.get(), unconfirmed))
                .route(
                        reads("/metrics"),
                        request -> ServerResponse.ok().contentType(PROMETHEUS).bodyValue(registry.scrape()))
                .build();
    }

    /** Matches GET, and HEAD, to which the server responds without the body. */
    private static RequestPredicate reads(String path) {
        return RequestPredicates.path(path).and(RequestPredicates.methods(HttpMethod.GET, HttpMethod.HEAD));
    }

    private static Mono<ServerResponse> health(ServingState state) {
        return status(state.isUp(), state.isUp() ? "up" : state.wireName());
    }

    private static Mono<ServerResponse> ready(ServingState state, Supplier<Optional<String>> unconfirmed) {
        Optional<String> reason = state == ServingState.CLUSTER_UNCONFIRMED ? unconfirmed.get() : Optional.empty();
        return reason.isPresent()
                ? response(false, Map.of("status", state.wireName(), "reason", reason.get()))
                : status(state.isReady(), state.wireName());
    }

    private static Mono<ServerResponse> status(boolean good, String status) {
        return response(good, Map.of("status", status));
    }

    private static Mono<ServerResponse> response(boolean good, Map<String, String> body) {
        return ServerResponse.status(good ? 200 : 503)
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(body);
    }
}
