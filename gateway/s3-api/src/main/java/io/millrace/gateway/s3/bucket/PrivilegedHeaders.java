package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketSettings.AccessRules;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Fields of a write that bind others than the writer: who else may have the object, and how long nobody may delete it. Said with
 * a write they take the same right as said by themselves.
 */
final class PrivilegedHeaders {
    /** These grant nothing to others. */
    private static final Set<String> OWN_ACLS =
            Set.of("private", "bucket-owner-full-control", "bucket-owner-read", "aws-exec-read");

    private PrivilegedHeaders() {}

    /**
     * Refuses those that this bucket does not take, or this caller may not say.
     *
     * @param mayAdminister whether the caller may administer what is written; asked where it matters
     * @throws S3Exception AccessControlListNotSupported or AccessDenied
     */
    static void check(HeaderList fields, BucketView bucket, BooleanSupplier mayAdminister) {
        boolean grants = fields.fields().stream().anyMatch(PrivilegedHeaders::grants);
        if (grants && bucket.accessRules() != AccessRules.FORWARD) {
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
