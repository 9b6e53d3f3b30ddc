package io.millrace.gateway.s3.configuration;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketSettings.AccessRules;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.routing.S3Operation;
import java.nio.ByteBuffer;
import reactor.core.publisher.Mono;

/**
 * Refuses to store rules of access at a backend unless the bucket's entry says to: they would bind the backend's own callers, and
 * whoever stores one through this gateway believes that it binds the gateway's.
 */
final class AccessRuleGuard {
    private AccessRuleGuard() {}

    /**
     * Completes if the document may be stored.
     *
     * @param rightsNow the backend's own list of rights; asked for only where it matters who the owner is
     * @throws S3Exception AccessControlListNotSupported for rights of others, NotImplemented for other rules
     */
    static Mono<Void> check(S3Operation operation, BucketView bucket, byte[] document, Mono<ByteBuffer> rightsNow) {
        if (bucket.accessRules() == AccessRules.FORWARD) {
            return Mono.empty();
        }
        return switch (operation) {
            // Without a document it is a canned ACL in a field, which was looked at there.
            case PUT_BUCKET_ACL -> document.length == 0 ? Mono.empty() : OwnerOnlyAcl.require(document, rightsNow);
            case PUT_BUCKET_POLICY, DELETE_BUCKET_POLICY, PUT_PUBLIC_ACCESS_BLOCK, DELETE_PUBLIC_ACCESS_BLOCK ->
                throw new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED,
                        "Rules of access stored at the backend do not bind this gateway's callers; its own are in its file.");
            default -> Mono.empty();
        };
    }
}
