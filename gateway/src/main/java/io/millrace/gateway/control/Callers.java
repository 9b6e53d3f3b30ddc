package io.millrace.gateway.control;

import io.millrace.auth.AuthException;
import io.millrace.auth.Authentication;
import io.millrace.auth.RequestVerifier;
import io.millrace.auth.Scheme;
import io.millrace.auth.Tokens;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** Finds out who asks: by the signature of the request's head, or by a token. Looks in memory only. */
final class Callers {
    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";
    private static final Set<Tokens.Use> ANYTHING = Set.of(Tokens.Use.API);
    private static final Set<Tokens.Use> NOTIFYING = EnumSet.allOf(Tokens.Use.class);

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
        if (authorization.size() == 1 && isNotification(request) && is(BASIC, authorization.get(0))) {
            return byToken(password(authorization.get(0)), NOTIFYING);
        }
        return authorization.size() == 1 && is(BEARER, authorization.get(0))
                ? byToken(authorization.get(0).substring(BEARER.length()).strip(), uses(request))
                : bySignature(request);
    }

    private static boolean is(String scheme, String authorization) {
        return authorization.regionMatches(true, 0, scheme, 0, scheme.length());
    }

    /** The one that senders have who know no more than a URL, with a name and a token before the host. */
    private static String password(String authorization) {
        try {
            byte[] pair = Base64.getDecoder()
                    .decode(authorization.substring(BASIC.length()).strip());
            String text = new String(pair, StandardCharsets.ISO_8859_1);
            return text.substring(text.indexOf(':') + 1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private static boolean isNotification(ServerHttpRequest request) {
        return NotificationsController.PATH.equals(request.getURI().getRawPath());
    }

    private static Set<Tokens.Use> uses(ServerHttpRequest request) {
        return isNotification(request) ? NOTIFYING : ANYTHING;
    }

    private Caller byToken(String token, Set<Tokens.Use> uses) {
        try {
            return new Caller(tokens.verify(token, uses), Optional.empty());
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
