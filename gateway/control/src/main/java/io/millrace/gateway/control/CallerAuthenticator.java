package io.millrace.gateway.control;

import io.millrace.auth.Authentication;
import io.millrace.auth.Credential;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.session.Sessions;
import io.millrace.auth.signature.RequestVerifier;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Authenticates API requests by their signature, bearer token or session cookie. Looks in memory only.
 *
 * @param verifier returns that of the identities in force
 * @param tokens returns those of the identities in force
 * @param credentials returns those of the sessions in force
 * @param isSecure tells whether the browser that sent a request holds cookies for encrypted connections only
 */
record CallerAuthenticator(
        Supplier<RequestVerifier> verifier,
        Supplier<BearerTokens> tokens,
        Supplier<CredentialFinder> credentials,
        Predicate<ServerHttpRequest> isSecure) {
    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";
    private static final Set<BearerTokens.Use> ANYTHING = Set.of(BearerTokens.Use.API);
    private static final Set<BearerTokens.Use> NOTIFYING = EnumSet.allOf(BearerTokens.Use.class);

    /**
     * Authenticates the sender of a request.
     *
     * @throws ApiException (400, 401 or 403) if there are no valid credentials
     */
    AuthenticatedCaller authenticate(ServerHttpRequest request) {
        List<String> authorization = request.getHeaders().getOrEmpty(HttpHeaders.AUTHORIZATION);
        if (authorization.isEmpty() && SameOriginCheck.isOfConsole(request)) {
            Optional<String> cookie = SessionCookies.session(request, isSecure.test(request));
            if (cookie.isPresent()) {
                SameOriginCheck.require(request);
                return byCookie(cookie.get());
            }
        }
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

    /** The password of Basic authentication: senders that are configured by a URL alone put the token there. */
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

    private static Set<BearerTokens.Use> uses(ServerHttpRequest request) {
        return isNotification(request) ? NOTIFYING : ANYTHING;
    }

    private AuthenticatedCaller byToken(String token, Set<BearerTokens.Use> uses) {
        try {
            Credential proved = tokens.get().verify(token, uses);
            return new AuthenticatedCaller(proved.principal(), Optional.empty(), proved.expiresAt(), Optional.empty());
        } catch (RequestVerificationException refused) {
            throw ApiException.authenticationFailed(refused, true);
        }
    }

    private AuthenticatedCaller byCookie(String cookie) {
        try {
            Credential proved = Sessions.ofBrowser(cookie, credentials.get());
            return new AuthenticatedCaller(
                    proved.principal(), Optional.empty(), proved.expiresAt(), Optional.of(proved.accessKey()));
        } catch (RequestVerificationException refused) {
            throw ApiException.authenticationFailed(refused, true);
        }
    }

    private AuthenticatedCaller bySignature(ServerHttpRequest request) {
        try {
            Authentication proved = verifier.get().verify(SignedApiRequest.of(request));
            // A presigned URL to an object must not give access to the API.
            if (proved instanceof Authentication.Signed signed && signed.scheme() == SignatureScheme.V4_HEADER) {
                return new AuthenticatedCaller(
                        signed.principal(),
                        Optional.of(signed.payload()),
                        signed.credential().expiresAt(),
                        Optional.empty());
            }
            throw ApiException.unauthenticated();
        } catch (RequestVerificationException refused) {
            throw ApiException.authenticationFailed(refused, false);
        }
    }
}
