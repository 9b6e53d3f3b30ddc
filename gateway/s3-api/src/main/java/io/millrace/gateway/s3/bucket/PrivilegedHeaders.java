package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketSettings.AccessPolicyMode;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Checks headers of a write that need the right to administer: ACLs that grant to others, retention and legal hold.
 * Setting them with a write takes the same right as setting them alone.
 */
final class PrivilegedHeaders {
    /** Canned ACLs that grant nothing to others. */
    private static final Set<String> OWN_ACLS =
            Set.of("private", "bucket-owner-full-control", "bucket-owner-read", "aws-exec-read");

    private PrivilegedHeaders() {}

    /**
     * Rejects headers that this bucket does not accept or that this caller may not set.
     *
     * @param mayAdminister whether the caller may administer the target; evaluated only if needed
     * @throws S3Exception AccessControlListNotSupported or AccessDenied
     */
    static void check(HeaderList fields, BucketView bucket, BooleanSupplier mayAdminister) {
        boolean grants = fields.fields().stream().anyMatch(PrivilegedHeaders::grants);
        if (grants && bucket.settings().accessPolicies() != AccessPolicyMode.FORWARD) {
            throw new S3Exception(
                    S3ErrorCode.ACL_NOT_SUPPORTED,
                    "The bucket does not allow ACLs that grant to others: they would bind the backend's callers, not"
                            + " this gateway's.");
        }
        boolean locks = fields.fields().stream().anyMatch(field -> field.name().startsWith("x-amz-object-lock-"));
        if ((grants || locks) && !mayAdminister.getAsBoolean()) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
    }

    private static boolean grants(HeaderList.HeaderField field) {
        return field.name().startsWith("x-amz-grant-")
                || (field.name().equals("x-amz-acl") && !OWN_ACLS.contains(field.value()));
    }
}
