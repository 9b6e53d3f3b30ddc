package io.millrace.gateway.s3.object;

import io.millrace.auth.UriEncoding;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.s3.protocol.S3Request;

/** Builds the URL of an object for {@code Location}, in the addressing style of its writer. */
final class ObjectUrl {
    private ObjectUrl() {}

    /** Returns the URL with the host and scheme of the request. */
    static String of(S3Request request, BucketName bucket, ObjectKey key) {
        String host = request.headers().first("host").orElse("");
        String folder = request.target().virtualHost() ? "/" : "/" + bucket + "/";
        return (request.source().isSecure() ? "https://" : "http://") + host + folder + UriEncoding.ofPath(key.value());
    }
}
