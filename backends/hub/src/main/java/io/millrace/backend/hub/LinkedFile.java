package io.millrace.backend.hub;

import io.millrace.backend.http.RedirectRule;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.http.WebUrl;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A large file that the Hub keeps on another server, as its redirect describes it.
 *
 * @param tag the ETag of its content, as sent
 * @param size in bytes
 */
record LinkedFile(String tag, long size) {
    private static final Pattern SIZE = Pattern.compile("[0-9]{1,18}");

    /**
     * Collects the properties from redirects of the Hub, and ends a HEAD there: the other server knows no more. For one
     * request.
     */
    static final class Collector implements RedirectRule {
        private final Predicate<WebUrl> isHub;
        private final boolean isHead;
        private @Nullable LinkedFile found;
        private boolean atHub = true;

        Collector(Predicate<WebUrl> isHub, boolean isHead) {
            this.isHub = isHub;
            this.isHead = isHead;
        }

        Optional<LinkedFile> found() {
            return Optional.ofNullable(found);
        }

        /** Returns whether the response is the Hub's own. */
        boolean isAtHub() {
            return atHub;
        }

        @Override
        public boolean follows(WebUrl from, StreamingResponse redirect, WebUrl to) {
            @Nullable String tag = redirect.headers().get("x-linked-etag");
            @Nullable String size = redirect.headers().get("x-linked-size");
            if (isHub.test(from)
                    && tag != null
                    && size != null
                    && SIZE.matcher(size).matches()) {
                found = new LinkedFile(tag, Long.parseLong(size));
            }
            boolean follows = !isHead || found == null || isHub.test(to);
            atHub = follows ? isHub.test(to) : atHub;
            return follows;
        }
    }
}
