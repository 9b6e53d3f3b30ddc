package io.millrace.gateway.s3.gate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The headers and parameters that authenticate a request.
 *
 * @param parameters of the query, encoded, {@code name=value}
 * @param headers by lower-case name
 */
record SignatureProof(List<String> parameters, Map<String, String> headers) {
    static SignatureProof header(String authorization) {
        return new SignatureProof(List.of(), Map.of("authorization", authorization));
    }

    /** Returns the Authorization header; empty if the signature is in the query. */
    Optional<String> authorization() {
        return Optional.ofNullable(headers.get("authorization"));
    }

    SignatureProof with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new SignatureProof(parameters, more);
    }

    SignatureProof withParameter(String parameter) {
        List<String> more = new ArrayList<>(parameters);
        more.add(parameter);
        return new SignatureProof(more, headers);
    }

    SignatureProof withoutParameter(String name) {
        return new SignatureProof(
                parameters.stream().filter(p -> !p.startsWith(name + "=")).toList(), headers);
    }

    /** Returns both together; the headers of this one win. */
    SignatureProof and(SignatureProof other) {
        List<String> both = new ArrayList<>(parameters);
        both.addAll(other.parameters);
        Map<String, String> all = new LinkedHashMap<>(other.headers);
        all.putAll(headers);
        return new SignatureProof(both, all);
    }

    /** Returns the value of a parameter whose name has this suffix; empty if there is none. */
    String parameterEnding(String end) {
        for (String parameter : parameters) {
            int equals = parameter.indexOf('=');
            if (parameter.substring(0, equals).endsWith(end)) {
                return parameter.substring(equals + 1);
            }
        }
        return "";
    }

    /** Returns a copy without parameters whose name has this suffix. */
    SignatureProof withoutParameterEnding(String end) {
        return new SignatureProof(
                parameters.stream()
                        .filter(p -> !p.substring(0, p.indexOf('=')).endsWith(end))
                        .toList(),
                headers);
    }
}
