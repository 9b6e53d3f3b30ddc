package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketSettings.AccessPolicyMode;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Checks headers of a write that need the right to administer: ACLs that grant to others. The gate has checked the
 * actions that all such headers need.
 */
final class PrivilegedHeaderCheck {
    /** Canned ACLs that grant nothing to others. */
    private static final Set<String> OWN_ACLS =
            Set.of("private", "bucket-owner-full-control", "bucket-owner-read", "aws-exec-read");

    private PrivilegedHeaderCheck() {}

    /**
     * Rejects headers that this bucket does not accept or that this caller may not set.
     *
     * @param mayAdminister whether the caller may administer the target; evaluated only if needed
     * @throws S3Exception AccessControlListNotSupported or AccessDenied
     */
    static void check(HeaderList fields, BucketView bucket, BooleanSupplier mayAdminister) {
        boolean grants = fields.fields().stream().anyMatch(PrivilegedHeaderCheck::grants);
        if (grants && bucket.settings().accessPolicies() != AccessPolicyMode.FORWARD) {
            throw new S3Exception(
                    S3ErrorCode.ACL_NOT_SUPPORTED,
                    "The bucket does not allow ACLs that grant to others: they would bind the backend's callers, not"
                            + " this gateway's.");
        }
        if (grants && !mayAdminister.getAsBoolean()) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
    }

    private static boolean grants(HeaderList.HeaderField field) {
        return field.name().startsWith("x-amz-grant-")
                || (field.name().equals("x-amz-acl") && !OWN_ACLS.contains(field.value()));
    }
}
