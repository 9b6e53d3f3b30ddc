package io.millrace.backend.hub;

import io.millrace.backend.http.StreamingResponse;
import java.util.Optional;

/**
 * The response to a request for a file.
 *
 * @param response of the last server; for a HEAD it may be the redirect of the Hub
 * @param linked the properties that the Hub told on its redirect; empty for files that it keeps itself
 * @param isOfTheHub whether the Hub itself responds, and not a server that it redirects to
 */
record FileResponse(StreamingResponse response, Optional<LinkedFile> linked, boolean isOfTheHub) {}
