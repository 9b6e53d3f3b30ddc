package io.millrace.gateway.s3.protocol;

import io.millrace.auth.sigv4.UriEncoding;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;

/** Where an object is found: what {@code Location} tells of one that was written, in the style its writer uses. */
public final class ObjectUrl {
    private ObjectUrl() {}

    /** The address by the host that the client itself named. What stands in front of this server may know a better scheme. */
    public static String of(S3Request request, BucketName bucket, ObjectKey key) {
        String host = request.headers().first("host").orElse("");
        String folder = request.target().virtualHost() ? "/" : "/" + bucket + "/";
        return "http://" + host + folder + UriEncoding.ofPath(key.value());
    }
}
