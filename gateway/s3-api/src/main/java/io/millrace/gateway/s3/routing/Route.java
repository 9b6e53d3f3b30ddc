package io.millrace.gateway.s3.routing;

import java.util.List;

/**
 * What a request asks for.
 *
 * @param operation {@link S3Operation#UNKNOWN} where unknown fields could make anything of the operation
 * @param unknown the fields that nobody knows; empty for most requests
 */
public record Route(S3Operation operation, List<UnknownField> unknown) {
    public Route {
        unknown = List.copyOf(unknown);
    }
}
