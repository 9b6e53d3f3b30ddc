package io.millrace.gateway.s3.bucket;

import io.millrace.gateway.objects.bucket.CorsSettings;
import io.millrace.kit.XmlElement;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One CORS rule of a bucket.
 *
 * @param origins the allowed origins, each with at most one {@code *} as a wildcard
 * @param headers the request headers that may be sent, with wildcards likewise, in any case
 */
record CorsRule(
        List<String> origins,
        List<String> methods,
        List<String> headers,
        List<String> expose,
        Optional<String> maxAge) {
    static CorsRule of(CorsSettings rule) {
        return new CorsRule(
                rule.origins(),
                rule.methods(),
                rule.headers(),
                rule.exposeHeaders(),
                Optional.of(Integer.toString(rule.maxAgeSeconds())));
    }

    /** Reads a rule from a backend's CORS configuration. Values that no response header can carry are left out. */
    static CorsRule of(XmlElement rule) {
        return new CorsRule(
                texts(rule, "AllowedOrigin"),
                tokens(rule, "AllowedMethod"),
                texts(rule, "AllowedHeader"),
                tokens(rule, "ExposeHeader"),
                tokens(rule, "MaxAgeSeconds").stream().findFirst());
    }

    boolean allows(String origin, String method) {
        return methods.contains(method) && origins.stream().anyMatch(pattern -> matches(pattern, origin));
    }

    /** Returns whether a script may send these headers, which are in lower case. */
    boolean allowsHeaders(List<String> requested) {
        return requested.stream()
                .allMatch(field ->
                        headers.stream().anyMatch(pattern -> matches(pattern.toLowerCase(Locale.ROOT), field)));
    }

    /** Returns whether the rule allows every origin, so that the response names no origin and allows no credentials. */
    boolean isForAll(String origin) {
        return origins.contains("*") && !origins.contains(origin);
    }

    private static boolean matches(String pattern, String text) {
        int star = pattern.indexOf('*');
        return star < 0
                ? pattern.equals(text)
                : text.length() >= pattern.length() - 1
                        && text.startsWith(pattern.substring(0, star))
                        && text.endsWith(pattern.substring(star + 1));
    }

    private static List<String> tokens(XmlElement rule, String name) {
        return texts(rule, name).stream()
                .filter(text -> PreflightRequest.TOKEN.matcher(text).matches())
                .toList();
    }

    private static List<String> texts(XmlElement rule, String name) {
        return rule.all(name).map(element -> element.text().strip()).toList();
    }
}
