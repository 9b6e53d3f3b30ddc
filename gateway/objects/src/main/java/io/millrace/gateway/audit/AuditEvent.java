package io.millrace.gateway.audit;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One act of somebody, and its outcome: a line of the audit log. It holds no secrets: neither signatures nor query
 * strings nor bodies.
 *
 * @param time when its request ended
 * @param via the port that it came by
 * @param requestId as in the response and the other logs; empty if it had none
 * @param identity name of the identity; empty if nobody was authenticated
 * @param address of the client
 * @param userAgent as the client calls itself; its first 256 characters
 * @param operation as S3 names it, or method and path of the control API
 * @param bucket as the client named it
 * @param key of the object
 * @param keys of several objects in place of one
 * @param decision whether it was allowed
 * @param status of the response; 0 if the client was gone before it
 * @param bytesIn length of the request's body
 * @param bytesOut bytes of the response's body that were sent
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record AuditEvent(
        Instant time,
        Port via,
        Optional<String> requestId,
        Optional<String> identity,
        String address,
        Optional<String> userAgent,
        String operation,
        Optional<String> bucket,
        Optional<String> key,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> keys,
        Decision decision,
        int status,
        long bytesIn,
        long bytesOut) {
    private static final int LONGEST_USER_AGENT = 256;

    public AuditEvent {
        keys = List.copyOf(keys);
        userAgent = userAgent.map(
                name -> name.length() <= LONGEST_USER_AGENT ? name : name.substring(0, LONGEST_USER_AGENT));
    }

    /** An act on one object, or on none. */
    public AuditEvent(
            Instant time,
            Port via,
            Optional<String> requestId,
            Optional<String> identity,
            String address,
            Optional<String> userAgent,
            String operation,
            Optional<String> bucket,
            Optional<String> key,
            Decision decision,
            int status,
            long bytesIn,
            long bytesOut) {
        this(
                time, via, requestId, identity, address, userAgent, operation, bucket, key, List.of(), decision, status,
                bytesIn, bytesOut);
    }

    /** The port of a request. */
    public enum Port {
        S3,
        CONTROL
    }

    /** The outcome of authentication and policy. */
    public enum Decision {
        ALLOWED,
        DENIED
    }
}
