package io.millrace.backend.azure;

import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.object.HeaderList;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Stream;

/**
 * A request to the Blob service that is complete except for its authorization.
 *
 * @param path percent-encoded, with the endpoint's own path
 * @param query decoded
 */
record SignableRequest(String method, String path, List<QueryParameter> query, HeaderList headers) {
    SignableRequest {
        query = List.copyOf(query);
    }

    /** Returns path and query as they are sent. Contains the signature of a SAS. */
    String target() {
        if (query.isEmpty()) {
            return path;
        }
        StringJoiner target = new StringJoiner("&", path + "?", "");
        query.forEach(parameter -> target.add(encode(parameter.name()) + "=" + encode(parameter.value())));
        return target.toString();
    }

    SignableRequest with(String header, String value) {
        return new SignableRequest(method, path, query, headers.with(header, value));
    }

    SignableRequest with(List<QueryParameter> more) {
        return new SignableRequest(
                method, path, Stream.concat(query.stream(), more.stream()).toList(), headers);
    }

    /** Hides the query, which may contain a signature. */
    @Override
    public String toString() {
        return method + " " + path;
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
