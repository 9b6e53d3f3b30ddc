package io.millrace.gateway.control;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Check that a request with the cookie of a session is one of the console's own pages. Browsers send cookies with
 * requests that other pages make, those of objects on the S3 port of the same host among them.
 */
final class SameOriginCheck {
    /** The header that the console sends. Another origin's page cannot, without a preflight that is refused here. */
    static final String HEADER = "x-millrace-console";

    private static final String SITE = "sec-fetch-site";
    private static final String SAME_ORIGIN = "same-origin";

    private SameOriginCheck() {}

    /** Returns whether the request has the console's header. */
    static boolean isOfConsole(ServerHttpRequest request) {
        return request.getHeaders().getOrEmpty(HEADER).equals(List.of("1"));
    }

    /**
     * Requires that the browser says that its page is of the same origin, or of a read nothing else. Over plain HTTP
     * browsers send no {@code Sec-Fetch-Site}; then {@code Origin} decides.
     *
     * @throws ApiException (403) otherwise
     */
    static void require(ServerHttpRequest request) {
        HttpHeaders headers = request.getHeaders();
        List<String> sites = headers.getOrEmpty(SITE);
        List<String> origins = headers.getOrEmpty(HttpHeaders.ORIGIN);
        boolean isSame;
        if (!sites.isEmpty()) {
            isSame = sites.equals(List.of(SAME_ORIGIN));
        } else if (origins.isEmpty()) {
            isSame = ApiAuthenticationFilter.isRead(request);
        } else {
            isSame = origins.size() == 1 && isOfHost(origins.get(0), headers.getOrEmpty(HttpHeaders.HOST));
        }
        if (!isSame) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN, "A session's cookie counts in requests of the console's own pages only.");
        }
    }

    private static boolean isOfHost(String origin, List<String> hosts) {
        @Nullable String authority;
        try {
            authority = URI.create(origin).getRawAuthority();
        } catch (IllegalArgumentException e) {
            return false;
        }
        return authority != null
                && hosts.size() == 1
                && authority.toLowerCase(Locale.ROOT).equals(hosts.get(0).toLowerCase(Locale.ROOT));
    }
}
