package io.millrace.backend.s3;

import io.millrace.backend.spi.object.HeaderList;
import java.util.Set;

/** Selects the response headers of the S3 server that are passed on to the client. */
final class ForwardedResponseHeaders {
    /** Headers about the transport, not about an object. */
    private static final Set<String> TRANSPORT_HEADERS =
            Set.of("x-amz-request-id", "x-amz-id-2", "x-amz-cf-id", "x-amz-bucket-region", "x-amz-date");

    private ForwardedResponseHeaders() {}

    /** Returns the {@code x-amz-*} headers about the object. */
    static HeaderList of(HeaderList received) {
        return of(received, Set.of());
    }

    /** Returns the {@code x-amz-*} headers about the object, and the headers with the names in {@code more}. */
    static HeaderList of(HeaderList received, Set<String> more) {
        return received.where(
                name -> more.contains(name) || (name.startsWith("x-amz-") && !TRANSPORT_HEADERS.contains(name)));
    }
}
