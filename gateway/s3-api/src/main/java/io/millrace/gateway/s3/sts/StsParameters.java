package io.millrace.gateway.s3.sts;

import io.millrace.gateway.s3.sts.StsException.Code;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Parameters of an STS operation, from the form in the request's body. */
record StsParameters(Map<String, String> values) {
    private static final int MOST = 32;

    /** Parses a form in which each name is stated once. */
    static StsParameters parse(byte[] form) {
        Map<String, String> values = new HashMap<>();
        for (String field : new String(form, StandardCharsets.UTF_8).split("&", MOST + 1)) {
            int equals = field.indexOf('=');
            String name = decoded(equals < 0 ? field : field.substring(0, equals));
            String value = equals < 0 ? "" : decoded(field.substring(equals + 1));
            if (values.size() == MOST || values.put(name, value) != null) {
                throw new StsException(Code.VALIDATION_ERROR, "A parameter is stated twice, or there are too many.");
            }
        }
        return new StsParameters(values);
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new StsException(Code.VALIDATION_ERROR, "The body is not a form.");
        }
    }

    Optional<String> find(String name) {
        return Optional.ofNullable(values.get(name));
    }

    String required(String name) {
        return find(name)
                .filter(value -> !value.isEmpty())
                .orElseThrow(() -> new StsException(Code.VALIDATION_ERROR, name + " is missing."));
    }

    /** Refuses other parameters, because one that is ignored, such as a session policy, might have narrowed rights. */
    void requireOnly(Set<String> known) {
        if (!known.containsAll(values.keySet())) {
            throw new StsException(
                    Code.VALIDATION_ERROR, "Only these parameters are supported: " + String.join(", ", known) + '.');
        }
    }
}
