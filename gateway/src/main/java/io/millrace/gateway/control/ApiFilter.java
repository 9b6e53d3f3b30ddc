package io.millrace.gateway.control;

import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Stands before everything below {@code /api}: lets through whoever is known, with a body that is whole and the one that was
 * signed. A request that is refused has cost its head.
 */
final class ApiFilter implements WebFilter {
    static final String DOCUMENT = "/api/v1/openapi.json";

    /** Matched as Spring matches handlers, so that no spelling of a path gets past this to one of them. */
    private static final PathPattern BELOW_API = PathPatternParser.defaultInstance.parse("/api/**");

    /** Characters that mean the same encoded and decoded: what is verified, and what Spring reads, is what was sent. */
    private static final Pattern PLAIN_PATH = Pattern.compile("[A-Za-z0-9/._~-]+");

    private static final Set<HttpMethod> READS = Set.of(HttpMethod.GET, HttpMethod.HEAD);

    private final Callers callers;
    private final ApiBody body;

    ApiFilter(Callers callers, ApiBody body) {
        this.callers = callers;
        this.body = body;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        if (!BELOW_API.matches(request.getPath().pathWithinApplication()) || isDocument(request)) {
            return chain.filter(exchange);
        }
        return Mono.defer(() -> {
            requirePlain(request);
            Caller caller = callers.of(request);
            exchange.getAttributes().put(Caller.WHO, caller.who());
            return body.read(request, caller)
                    .flatMap(bytes -> chain.filter(exchange.mutate()
                            .request(new WithBody(request, exchange, bytes))
                            .build()));
        });
    }

    /** It tells what the manual tells. */
    private static boolean isDocument(ServerHttpRequest request) {
        return Objects.equals(request.getURI().getRawPath(), DOCUMENT) && READS.contains(request.getMethod());
    }

    private static void requirePlain(ServerHttpRequest request) {
        if (!PLAIN_PATH.matcher(request.getURI().getRawPath()).matches()) {
            throw ApiException.of(HttpStatus.NOT_FOUND, "No path of the API has such characters.");
        }
    }

    /** The same request with a body that has been read. */
    private static final class WithBody extends ServerHttpRequestDecorator {
        private final ServerWebExchange exchange;
        private final byte[] bytes;

        WithBody(ServerHttpRequest request, ServerWebExchange exchange, byte[] bytes) {
            super(request);
            this.exchange = exchange;
            this.bytes = bytes;
        }

        @Override
        public Flux<DataBuffer> getBody() {
            return bytes.length == 0
                    ? Flux.empty()
                    : Flux.defer(() ->
                            Flux.just(exchange.getResponse().bufferFactory().wrap(bytes)));
        }
    }
}
