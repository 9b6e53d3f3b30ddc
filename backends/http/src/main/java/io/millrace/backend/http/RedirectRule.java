package io.millrace.backend.http;

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
