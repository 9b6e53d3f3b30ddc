package io.millrace.gateway.s3.protocol;

import java.util.List;
import java.util.Optional;

/** The header fields of a request. Names are asked for in lower case. */
public interface RequestHeaders {
    /** All values of a field, in order. */
    List<String> all(String name);

    /** The names of all fields, in lower case, each once. */
    List<String> names();

    /** The first value of a field. */
    default Optional<String> first(String name) {
        List<String> values = all(name);
        return values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
    }
}
