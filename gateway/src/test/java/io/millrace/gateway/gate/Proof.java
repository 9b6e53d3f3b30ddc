package io.millrace.gateway.gate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a request carries to prove its claim.
 *
 * @param parameters of the query, encoded, {@code name=value}
 * @param headers by lower-case name
 */
record Proof(List<String> parameters, Map<String, String> headers) {
    static Proof header(String authorization) {
        return new Proof(List.of(), Map.of("authorization", authorization));
    }

    /** The Authorization header; empty if the proof is in the query. */
    Optional<String> authorization() {
        return Optional.ofNullable(headers.get("authorization"));
    }

    Proof with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new Proof(parameters, more);
    }

    Proof withParameter(String parameter) {
        List<String> more = new ArrayList<>(parameters);
        more.add(parameter);
        return new Proof(more, headers);
    }

    Proof withoutParameter(String name) {
        return new Proof(
                parameters.stream().filter(p -> !p.startsWith(name + "=")).toList(), headers);
    }

    /** Both, where they do not have the same header. */
    Proof and(Proof other) {
        List<String> both = new ArrayList<>(parameters);
        both.addAll(other.parameters);
        Map<String, String> all = new LinkedHashMap<>(other.headers);
        all.putAll(headers);
        return new Proof(both, all);
    }

    /** The value of a parameter whose name ends so; empty if there is none. */
    String parameterEnding(String end) {
        for (String parameter : parameters) {
            int equals = parameter.indexOf('=');
            if (parameter.substring(0, equals).endsWith(end)) {
                return parameter.substring(equals + 1);
            }
        }
        return "";
    }

    /** Without parameters whose name ends so. */
    Proof withoutParameterEnding(String end) {
        return new Proof(
                parameters.stream()
                        .filter(p -> !p.substring(0, p.indexOf('=')).endsWith(end))
                        .toList(),
                headers);
    }
}
