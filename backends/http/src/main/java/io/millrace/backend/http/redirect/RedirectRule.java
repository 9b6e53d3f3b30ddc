package io.millrace.backend.http.redirect;

import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.http.url.WebUrl;

/** Decides whether a redirect is followed, beyond what the settings allow. Not called for other responses. */
@FunctionalInterface
public interface RedirectRule {
    /** Follows every redirect. */
    RedirectRule ALWAYS = (from, response, to) -> true;

    /**
     * Returns whether to follow; if not, the redirect itself is the response.
     *
     * @param response must not be read or discarded
     * @throws io.millrace.backend.spi.BackendException if neither will do
     */
    boolean follows(WebUrl from, StreamingResponse response, WebUrl to);
}
