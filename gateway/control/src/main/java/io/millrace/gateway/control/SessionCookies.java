package io.millrace.gateway.control;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.http.HttpCookie;
import org.springframework.http.ResponseCookie;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * The cookies of the console. No script can read them. Over TLS their names have the prefix that makes browsers refuse
 * what was set for a whole domain or over plain HTTP.
 */
final class SessionCookies {
    private static final String SESSION = "millrace-session";
    private static final String SIGN_IN = "millrace-sign-in";
    private static final String HOST_PREFIX = "__Host-";

    private SessionCookies() {}

    /** Returns the cookie of a session. It is sent with requests of the console's own pages only. */
    static ResponseCookie session(String value, Duration lifetime, boolean secure) {
        return cookie(SESSION, value, lifetime, secure, "Strict");
    }

    /** Returns the cookie of a sign-in that has begun, which comes back when the provider sends the browser back. */
    static ResponseCookie signIn(String value, Duration lifetime, boolean secure) {
        return cookie(SIGN_IN, value, lifetime, secure, "Lax");
    }

    /** Returns what deletes the cookie of a session. */
    static ResponseCookie noSession(boolean secure) {
        return session("", Duration.ZERO, secure);
    }

    /** Returns what deletes the cookie of a sign-in. */
    static ResponseCookie noSignIn(boolean secure) {
        return signIn("", Duration.ZERO, secure);
    }

    /** Returns the value of the cookie of a session. */
    static Optional<String> session(ServerHttpRequest request, boolean secure) {
        return find(request, SESSION, secure);
    }

    /** Returns the value of the cookie of a sign-in that has begun. */
    static Optional<String> signIn(ServerHttpRequest request, boolean secure) {
        return find(request, SIGN_IN, secure);
    }

    /** A name that came twice is one that somebody else has set, too, so neither counts. */
    private static Optional<String> find(ServerHttpRequest request, String name, boolean secure) {
        List<HttpCookie> cookies = request.getCookies().getOrDefault(HOST_PREFIX + name, List.of());
        if (cookies.isEmpty() && !secure) {
            cookies = request.getCookies().getOrDefault(name, List.of());
        }
        return cookies.size() == 1 ? Optional.of(cookies.get(0).getValue()) : Optional.empty();
    }

    private static ResponseCookie cookie(
            String name, String value, Duration lifetime, boolean secure, String sameSite) {
        return ResponseCookie.from(secure ? HOST_PREFIX + name : name, value)
                .path("/")
                .httpOnly(true)
                .secure(secure)
                .sameSite(sameSite)
                .maxAge(lifetime)
                .build();
    }
}
