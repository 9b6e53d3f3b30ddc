package io.millrace.gateway.gate;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.AuthException;
import io.millrace.auth.Authentication;
import io.millrace.auth.Principal;
import io.millrace.auth.RequestVerifier;
import io.millrace.auth.Right;
import io.millrace.backend.spi.BucketName;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.http.Router;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.S3Request;

/**
 * The one gate: every request passes it before anything is done for it. It verifies who asks, finds out what is asked, and
 * lets the policy decide. It reads no body and asks no backend, so a refused request costs its head.
 */
public final class Gate {
    private final RequestVerifier verifier;
    private final AccessPolicy policy;

    public Gate(RequestVerifier verifier, AccessPolicy policy) {
        this.verifier = verifier;
        this.policy = policy;
    }

    /**
     * Admits a request.
     *
     * @throws S3Exception the error it ends with otherwise: of its signature, of its operation, or AccessDenied
     */
    public Admission admit(S3Request request) {
        Authentication authentication = authenticate(request);
        boolean anonymous = authentication instanceof Authentication.Anonymous;
        S3Operation operation = route(request, anonymous);
        if (!isAllowed(request, operation, authentication.principal(), anonymous)) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        return new Admission(request, operation, authentication, policy);
    }

    private Authentication authenticate(S3Request request) {
        try {
            return verifier.verify(request);
        } catch (AuthException refused) {
            throw SignatureErrors.toS3(refused);
        }
    }

    /** A stranger learns nothing of what is implemented: whatever nobody may do anonymously is denied. */
    private static S3Operation route(S3Request request, boolean anonymous) {
        try {
            return Router.route(request);
        } catch (S3Exception notServed) {
            throw anonymous ? new S3Exception(S3ErrorCode.ACCESS_DENIED) : notServed;
        }
    }

    private boolean isAllowed(S3Request request, S3Operation operation, Principal who, boolean anonymous) {
        if (request.target().bucket().isEmpty()) {
            return !anonymous;
        }
        BucketName bucket = request.target().bucket().get();
        if (operation.right().isEmpty()) {
            return policy.seesBucket(who, bucket);
        }
        Right right = operation.right().get();
        return right == Right.LIST
                ? policy.allowsListing(
                        who, bucket, request.target().parameter("prefix").orElse(""))
                : policy.allows(who, right, bucket, request.target().key());
    }
}
