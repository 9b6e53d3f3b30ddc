package io.millrace.backend.http;

import java.util.Optional;
import java.util.Set;

/** Finds where the redirect of a web server leads. Its target is not allowed yet: the caller decides. */
public final class RedirectLocationParser {
    private static final int MOST = 5;
    private static final Set<Integer> STATUSES = Set.of(301, 302, 303, 307, 308);

    private RedirectLocationParser() {}

    /**
     * Returns the target of a response; empty if it is no redirect.
     *
     * @param followed how many redirects led to this response
     * @throws IllegalArgumentException if it must not be followed: there were too many, the target is no valid URL, or
     *     it leaves TLS
     */
    public static Optional<WebUrl> target(WebUrl requested, int status, Optional<String> location, int followed) {
        if (!STATUSES.contains(status) || location.isEmpty()) {
            return Optional.empty();
        }
        if (followed == MOST) {
            throw new IllegalArgumentException("it redirects more than %d times".formatted(MOST));
        }
        return Optional.of(target(requested, location.get()));
    }

    private static WebUrl target(WebUrl requested, String location) {
        WebUrl next;
        try {
            next = requested.resolve(location);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("it redirects to what " + e.getMessage(), e);
        }
        if (requested.isSecure() && !next.isSecure()) {
            throw new IllegalArgumentException("it redirects from https to http");
        }
        return next;
    }
}
