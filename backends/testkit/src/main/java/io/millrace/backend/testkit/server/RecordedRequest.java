package io.millrace.backend.testkit.server;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A request that came, with its body.
 *
 * @param target path and query, as they were sent
 * @param headers names in lower case; a field that came twice has both values, with a comma between them
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record RecordedRequest(String method, String target, Map<String, String> headers, byte[] body) {
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
    }

    /** Returns the path, as it was sent. */
    public String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    /** Returns the query, as it was sent; empty if there is none. */
    public String query() {
        int query = target.indexOf('?');
        return query < 0 ? "" : target.substring(query + 1);
    }

    /** Returns a parameter of the query, decoded. */
    public Optional<String> parameter(String name) {
        return Arrays.stream(query().split("&"))
                .filter(parameter -> parameter.startsWith(name + "="))
                .map(parameter -> decoded(parameter.substring(name.length() + 1)))
                .findFirst();
    }

    /** Returns the body as text. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** Returns the fields of a form in the body, decoded. */
    public Map<String, String> form() {
        return fields(text());
    }

    /** Returns the fields of an encoded form, or the parameters of a query that is encoded as forms are. */
    public static Map<String, String> fields(String encoded) {
        return Arrays.stream(encoded.split("&"))
                .map(field -> field.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
    }

    /** Decodes a part of a path or a query, in which a plus sign is itself. */
    public static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return method + " " + target;
    }
}
