package io.millrace.gateway.control;

import io.millrace.auth.AuthException;
import io.millrace.auth.Authentication;
import io.millrace.auth.RequestVerifier;
import io.millrace.auth.Scheme;
import io.millrace.auth.Tokens;
import java.util.List;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** Finds out who asks: by the signature of the request's head, or by a token. Looks in memory only. */
final class Callers {
    private static final String BEARER = "Bearer ";

    private final RequestVerifier verifier;
    private final Tokens tokens;

    Callers(RequestVerifier verifier, Tokens tokens) {
        this.verifier = verifier;
        this.tokens = tokens;
    }

    /**
     * Who sent this.
     *
     * @throws ApiException if nothing proves it
     */
    Caller of(ServerHttpRequest request) {
        List<String> authorization = request.getHeaders().getOrEmpty(HttpHeaders.AUTHORIZATION);
        return authorization.size() == 1 && isBearer(authorization.get(0))
                ? byToken(authorization.get(0).substring(BEARER.length()).strip())
                : bySignature(request);
    }

    private static boolean isBearer(String authorization) {
        return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
    }

    private Caller byToken(String token) {
        try {
            return new Caller(tokens.verify(token), Optional.empty());
        } catch (AuthException refused) {
            throw ApiException.refused(refused, true);
        }
    }

    private Caller bySignature(ServerHttpRequest request) {
        try {
            Authentication proved = verifier.verify(SignedHead.of(request));
            // Whoever was handed a URL to an object shall not find that it does something here.
            if (proved instanceof Authentication.Signed signed && signed.scheme() == Scheme.V4_HEADER) {
                return new Caller(signed.principal(), Optional.of(signed.payload()));
            }
            throw ApiException.anonymous();
        } catch (AuthException refused) {
            throw ApiException.refused(refused, false);
        }
    }
}
