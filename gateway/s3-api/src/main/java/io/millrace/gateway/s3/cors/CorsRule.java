package io.millrace.gateway.s3.cors;

import io.millrace.gateway.objects.bucket.CorsSettings;
import io.millrace.gateway.xml.XmlElement;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One rule.
 *
 * @param origins those it is for, each with one {@code *} at most, which stands for any text
 * @param headers fields that may be sent, likewise, in any case
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
                rule.expose(),
                Optional.of(Integer.toString(rule.maxAgeSeconds())));
    }

    /** A rule as a backend tells it. What no header field could say in an answer is left out of it. */
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

    /** Whether a script may send these fields, named in lower case. */
    boolean allowsHeaders(List<String> requested) {
        return requested.stream()
                .allMatch(field ->
                        headers.stream().anyMatch(pattern -> matches(pattern.toLowerCase(Locale.ROOT), field)));
    }

    /** Whether it is for everybody, so that the answer needs no origin and no credentials. */
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
        return rule.all(name).stream().map(element -> element.text().strip()).toList();
    }
}
