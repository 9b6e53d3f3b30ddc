package io.millrace.gateway.control;

import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.util.DisconnectedClientHelper;
import reactor.core.publisher.Mono;
import reactor.netty.channel.AbortedException;

/**
 * Turns every failure on the control port into a problem response (RFC 9457). Runs before Boot's handler, which sends
 * pages.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ApiErrorHandler implements WebExceptionHandler {
    private static final Logger log = LoggerFactory.getLogger(ApiErrorHandler.class);

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        ServerHttpResponse response = exchange.getResponse();
        if (failure instanceof AbortedException && !response.isCommitted()) {
            // The client left before it had sent the whole request: nothing failed, and there is no one to respond to.
            return Mono.empty();
        }
        if (response.isCommitted() || DisconnectedClientHelper.isClientDisconnectedException(failure)) {
            return Mono.error(failure);
        }
        ApiProblem problem = ApiProblemMapper.toProblem(failure).orElseGet(() -> unexpected(exchange, failure));
        headers(failure).forEach((name, value) -> response.getHeaders().set(name, value));
        response.setStatusCode(HttpStatusCode.valueOf(problem.status()));
        response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        byte[] json = ApiJsonMapper.MAPPER.writeValueAsBytes(problem);
        response.getHeaders().setContentLength(json.length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(json)));
    }

    private static Map<String, String> headers(Throwable failure) {
        if (failure instanceof ApiException refused) {
            return refused.headers().toSingleValueMap();
        }
        return failure instanceof ErrorResponse response ? onlyAllow(response.getHeaders()) : Map.of();
    }

    /**
     * Keeps only Allow, for a wrong method. The Accept header of a wrong type would name types that the API does not
     * promise.
     */
    private static Map<String, String> onlyAllow(HttpHeaders headers) {
        String allow = headers.getFirst(HttpHeaders.ALLOW);
        return allow == null
                ? Map.of()
                : Map.of(HttpHeaders.ALLOW, String.join(", ", headers.getValuesAsList(HttpHeaders.ALLOW)));
    }

    private static ApiProblem unexpected(ServerWebExchange exchange, Throwable failure) {
        log.error(
                "{} {} failed",
                exchange.getRequest().getMethod(),
                exchange.getRequest().getPath().value(),
                failure);
        return ApiProblem.of(HttpStatus.INTERNAL_SERVER_ERROR, "Millrace failed; its log says more.");
    }
}
