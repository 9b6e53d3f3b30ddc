package io.millrace.gateway.objects.read;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * The {@code Cache-Control} directives of a request. Directives that have no effect on this cache are left out.
 *
 * @param onlyIfCached whether the backend must not be asked
 * @param noStore whether the response must not be stored
 * @param maxAge the maximum seconds since the backend was asked; older metadata is revalidated
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9111#section-5.2.1">RFC 9111, 5.2.1</a>
 */
public record RequestCacheControl(boolean onlyIfCached, boolean noStore, OptionalLong maxAge) {
    /** No directives. */
    public static final RequestCacheControl NONE = new RequestCacheControl(false, false, OptionalLong.empty());

    private static final String MAX_AGE = "max-age=";

    /** Parses the values of the header; ignores invalid directives. */
    public static RequestCacheControl parse(List<String> values) {
        if (values.isEmpty()) {
            return NONE;
        }
        boolean onlyIfCached = false;
        boolean noStore = false;
        OptionalLong maxAge = OptionalLong.empty();
        for (String directive : String.join(",", values).split(",", -1)) {
            String text = directive.strip().toLowerCase(Locale.ROOT);
            onlyIfCached |= text.equals("only-if-cached");
            noStore |= text.equals("no-store");
            if (text.equals("no-cache")) {
                maxAge = OptionalLong.of(0);
            } else if (text.startsWith(MAX_AGE)) {
                maxAge = smaller(maxAge, text.substring(MAX_AGE.length()).replace("\"", ""));
            }
        }
        return new RequestCacheControl(onlyIfCached, noStore, maxAge);
    }

    /** Returns whether the response must be requested from the backend after this read arrived. */
    public boolean requiresRevalidation() {
        return maxAge.isPresent() && maxAge.getAsLong() == 0;
    }

    /** Returns these directives with a required revalidation. */
    public RequestCacheControl requiringRevalidation() {
        return new RequestCacheControl(onlyIfCached, noStore, OptionalLong.of(0));
    }

    /** Returns whether a response of this age is acceptable. */
    public boolean accepts(long ageMillis) {
        return maxAge.isEmpty() || (ageMillis >= 0 && ageMillis / 1000 < maxAge.getAsLong());
    }

    private static OptionalLong smaller(OptionalLong before, String seconds) {
        try {
            long age = Math.max(0, Long.parseLong(seconds));
            return OptionalLong.of(before.isPresent() ? Math.min(before.getAsLong(), age) : age);
        } catch (NumberFormatException e) {
            return before;
        }
    }
}
