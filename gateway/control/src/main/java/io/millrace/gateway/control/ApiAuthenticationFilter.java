package io.millrace.gateway.control;

import io.millrace.auth.policy.RequestSource;
import io.millrace.auth.policy.TrustedProxies;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
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
 * A filter in front of every path below {@code /api} that authenticates the caller and then reads and verifies the
 * body. It refuses a request without credentials before it reads the body.
 */
record ApiAuthenticationFilter(CallerAuthenticator callers, SignedApiBodyReader body, TrustedProxies proxies)
        implements WebFilter {
    static final String OPENAPI_PATH = "/api/v1/openapi.json";

    /** Matched as Spring matches handlers, so that no spelling of a path reaches a handler without authentication. */
    private static final PathPattern BELOW_API = PathPatternParser.defaultInstance.parse("/api/**");

    /** Characters that need no decoding, so that the path that was signed is the path that Spring reads. */
    private static final Pattern PLAIN_PATH = Pattern.compile("[A-Za-z0-9/._~-]+");

    private static final Set<HttpMethod> READS = Set.of(HttpMethod.GET, HttpMethod.HEAD);

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        if (!isBelowApi(request) || isDocument(request)) {
            return chain.filter(exchange);
        }
        return Mono.defer(() -> {
            requirePlain(request);
            RequestSource source = source(request, proxies);
            AuthenticatedCaller caller = callers.authenticate(request);
            exchange.getAttributes().put(AuthenticatedCaller.CALLER_ATTRIBUTE, caller);
            exchange.getAttributes()
                    .put(
                            AuthenticatedCaller.PRINCIPAL_ATTRIBUTE,
                            caller.principal().from(source));
            return body.read(request, caller).flatMap(bytes -> {
                // Its end may take a minute, even of an empty one: who was revoked or got another secret meanwhile does
                // nothing any more.
                AuthenticatedCaller unused = callers.authenticate(request);
                return chain.filter(exchange.mutate()
                        .request(new BufferedBodyRequest(request, exchange, bytes))
                        .build());
            });
        });
    }

    /** Returns where a request came from: the client of a declared proxy, or the peer of the connection. */
    static RequestSource source(ServerHttpRequest request, TrustedProxies proxies) {
        @Nullable InetSocketAddress peer = request.getRemoteAddress();
        HttpHeaders headers = request.getHeaders();
        return proxies.source(
                new RequestSource(peer == null ? null : peer.getAddress(), request.getSslInfo() != null),
                headers.getOrEmpty(TrustedProxies.FORWARDED_FOR),
                headers.getOrEmpty(TrustedProxies.FORWARDED_PROTO));
    }

    static boolean isBelowApi(ServerHttpRequest request) {
        return BELOW_API.matches(request.getPath().pathWithinApplication());
    }

    static boolean isRead(ServerHttpRequest request) {
        return READS.contains(request.getMethod());
    }

    /** The OpenAPI document is public: it says no more than the manual. */
    private static boolean isDocument(ServerHttpRequest request) {
        return Objects.equals(request.getURI().getRawPath(), OPENAPI_PATH) && isRead(request);
    }

    private static void requirePlain(ServerHttpRequest request) {
        if (!PLAIN_PATH.matcher(request.getURI().getRawPath()).matches()) {
            throw ApiException.of(HttpStatus.NOT_FOUND, "No path of the API has such characters.");
        }
    }

    /** A request whose body has been read into memory. */
    private static final class BufferedBodyRequest extends ServerHttpRequestDecorator {
        private final ServerWebExchange exchange;
        private final byte[] bytes;

        BufferedBodyRequest(ServerHttpRequest request, ServerWebExchange exchange, byte[] bytes) {
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
