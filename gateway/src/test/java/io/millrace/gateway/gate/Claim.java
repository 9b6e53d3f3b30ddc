package io.millrace.gateway.gate;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;

/**
 * What somebody signs: with this key, this request, at this time.
 *
 * @param target path and query, before a signature is added to them
 */
record Claim(String accessKey, String secretKey, String method, String target, Instant at) {
    /** The Host of all requests. */
    static final String HOST = "gateway.test";

    /** How long what is signed with an end is good for. */
    static final Duration VALIDITY = Duration.ofHours(1);

    URI uri() {
        return URI.create("http://" + HOST + target);
    }

    Claim by(String otherKey, String otherSecret) {
        return new Claim(otherKey, otherSecret, method, target, at);
    }

    Claim ofMethod(String other) {
        return new Claim(accessKey, secretKey, other, target, at);
    }

    Claim ofTarget(String other) {
        return new Claim(accessKey, secretKey, method, other, at);
    }

    Claim signedAt(Instant time) {
        return new Claim(accessKey, secretKey, method, target, time);
    }
}
