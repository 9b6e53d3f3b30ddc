package io.millrace.gateway.objects.freshness;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * What a client wants of a cache, for one read. Directives that are not named here ask for no more than any answer may be.
 *
 * @param onlyIfCached the backend must not be asked
 * @param noStore nothing of the answer may be kept
 * @param maxAge seconds since the backend was asked; what is older must be asked for again
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9111#section-5.2.1">RFC 9111, 5.2.1</a>
 */
public record RequestCacheControl(boolean onlyIfCached, boolean noStore, OptionalLong maxAge) {
    /** Nothing special. */
    public static final RequestCacheControl NONE = new RequestCacheControl(false, false, OptionalLong.empty());

    private static final String MAX_AGE = "max-age=";

    /** Reads the values of the field. What makes no sense is passed over. */
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

    /** Whether nothing will do that was asked before this read came. */
    public boolean requiresRevalidation() {
        return maxAge.isPresent() && maxAge.getAsLong() == 0;
    }

    /** The same of a client that also wants news. */
    public RequestCacheControl requiringRevalidation() {
        return new RequestCacheControl(onlyIfCached, noStore, OptionalLong.of(0));
    }

    /** Whether an answer of that age will do. */
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
