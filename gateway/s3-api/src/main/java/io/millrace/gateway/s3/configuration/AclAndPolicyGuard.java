package io.millrace.gateway.s3.configuration;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketSettings.AccessPolicyMode;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.nio.ByteBuffer;
import reactor.core.publisher.Mono;

/**
 * Rejects requests that store ACLs or bucket policies at a backend, unless the bucket's settings allow them. They would
 * bind the backend's own callers, but a client of the gateway would expect them to bind the gateway's.
 */
final class AclAndPolicyGuard {
    private AclAndPolicyGuard() {}

    /**
     * Completes if the document may be stored.
     *
     * @param rightsNow the backend's current ACL; fetched only if the owner matters
     * @throws S3Exception AccessControlListNotSupported for grants to others, NotImplemented for other rules
     */
    static Mono<Void> check(S3Operation operation, BucketView bucket, byte[] document, Mono<ByteBuffer> rightsNow) {
        if (bucket.settings().accessPolicies() == AccessPolicyMode.FORWARD) {
            return Mono.empty();
        }
        return switch (operation) {
            // Without a document it is a canned ACL in a header, which ForwardedHeaders has checked.
            case PUT_BUCKET_ACL -> document.length == 0 ? Mono.empty() : OwnerOnlyAclCheck.require(document, rightsNow);
            case PUT_BUCKET_POLICY, DELETE_BUCKET_POLICY, PUT_PUBLIC_ACCESS_BLOCK, DELETE_PUBLIC_ACCESS_BLOCK ->
                throw new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED,
                        "Rules of access stored at the backend do not bind this gateway's callers; its own are in its"
                                + " file.");
            default -> Mono.empty();
        };
    }
}
