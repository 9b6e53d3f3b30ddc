package io.millrace.gateway.s3.gate;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;

/**
 * The data to be signed: access key, request and time.
 *
 * @param target path and query, before a signature is added to them
 */
record ClaimedIdentity(String accessKey, String secretKey, String method, String target, Instant at) {
    /** The Host of all requests. */
    static final String HOST = "gateway.test";

    /** The lifetime of presigned requests. */
    static final Duration VALIDITY = Duration.ofHours(1);

    URI uri() {
        return URI.create("http://" + HOST + target);
    }

    ClaimedIdentity by(String otherKey, String otherSecret) {
        return new ClaimedIdentity(otherKey, otherSecret, method, target, at);
    }

    ClaimedIdentity ofMethod(String other) {
        return new ClaimedIdentity(accessKey, secretKey, other, target, at);
    }

    ClaimedIdentity ofTarget(String other) {
        return new ClaimedIdentity(accessKey, secretKey, method, other, at);
    }

    ClaimedIdentity signedAt(Instant time) {
        return new ClaimedIdentity(accessKey, secretKey, method, target, time);
    }
}
