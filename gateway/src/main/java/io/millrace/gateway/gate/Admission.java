package io.millrace.gateway.gate;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Authentication;
import io.millrace.auth.Principal;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.S3Request;
import java.util.NoSuchElementException;

/**
 * The gate's word: this request is this operation, it comes from this principal, and it may be served. Only {@link Gate}
 * can make one, and a handler takes nothing else, so no handler can be reached around the gate.
 */
public final class Admission {
    private final S3Request request;
    private final S3Operation operation;
    private final Authentication authentication;
    private final AccessPolicy policy;

    Admission(S3Request request, S3Operation operation, Authentication authentication, AccessPolicy policy) {
        this.request = request;
        this.operation = operation;
        this.authentication = authentication;
        this.policy = policy;
    }

    public S3Request request() {
        return request;
    }

    public S3Operation operation() {
        return operation;
    }

    public Principal principal() {
        return authentication.principal();
    }

    /** Whether a signature vouches for the request; its parameters are the caller's own words then. */
    public boolean isSigned() {
        return !(authentication instanceof Authentication.Anonymous);
    }

    /**
     * The bucket it is about.
     *
     * @throws NoSuchElementException for an operation on the service
     */
    public BucketName bucket() {
        return request.target().bucket().orElseThrow();
    }

    /**
     * The key it is about.
     *
     * @throws NoSuchElementException for an operation on the service or a bucket
     */
    public ObjectKey key() {
        return request.target().key().orElseThrow();
    }

    /**
     * Whether the caller may learn that a key is absent. As in S3, whoever may not list it is told that access is denied,
     * so that keys cannot be guessed.
     */
    public boolean mayLearnOfAbsence() {
        return policy.allowsListing(principal(), bucket(), key().value());
    }

    /** Whether the caller may know that a bucket exists. */
    public boolean sees(BucketName bucket) {
        return policy.seesBucket(principal(), bucket);
    }
}
