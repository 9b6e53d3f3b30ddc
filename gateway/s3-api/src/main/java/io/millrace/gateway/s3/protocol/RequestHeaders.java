package io.millrace.gateway.s3.protocol;

import java.util.List;
import java.util.Optional;

/** The headers of a request. Names are in lower case. */
public interface RequestHeaders {
    /** Those of a request without any. */
    RequestHeaders NONE = new RequestHeaders() {
        @Override
        public List<String> all(String name) {
            return List.of();
        }

        @Override
        public List<String> names() {
            return List.of();
        }
    };

    /** Returns all values of a header, in order. */
    List<String> all(String name);

    /** Returns the names of all headers, in lower case, each once. */
    List<String> names();

    /** Returns the first value of a header. */
    default Optional<String> first(String name) {
        List<String> values = all(name);
        return values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
    }
}
