package io.millrace.backend.gcs;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A request that a {@link DocumentedGcsServer} received; {@code path} is encoded, the parameters are decoded, header names in lower case. */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record ReceivedCall(String method, String path, Map<String, String> query, Map<String, String> headers, byte[] body) {
    static Map<String, String> query(String raw) {
        Map<String, String> query = new HashMap<>();
        for (String parameter : raw.split("&", -1)) {
            int equals = parameter.indexOf('=');
            if (equals > 0) {
                query.put(parameter.substring(0, equals), decode(parameter.substring(equals + 1)));
            }
        }
        return query;
    }

    static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    Optional<String> parameter(String name) {
        return Optional.ofNullable(query.get(name));
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    @Override
    public String toString() {
        return method + " " + path + " " + query;
    }
}
