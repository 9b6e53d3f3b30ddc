package io.millrace.gateway.s3.protocol;

import java.util.List;

/**
 * The operation of a request, and its unknown fields.
 *
 * @param operation {@link S3Operation#UNKNOWN} if unknown fields may change the operation
 * @param unknown the fields that no operation defines; empty for most requests
 */
public record Route(S3Operation operation, List<UnknownField> unknown) {
    public Route {
        unknown = List.copyOf(unknown);
    }
}
