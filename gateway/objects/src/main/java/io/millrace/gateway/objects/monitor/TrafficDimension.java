package io.millrace.gateway.objects.monitor;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A property of requests by which the traffic history is divided: operation, backend or bucket. */
public enum TrafficDimension {
    OPERATION,
    BACKEND,
    BUCKET;

    /** Finds a dimension by its name in the API, such as {@code bucket}. */
    public static Optional<TrafficDimension> find(String name) {
        return Stream.of(values())
                .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst();
    }
}
