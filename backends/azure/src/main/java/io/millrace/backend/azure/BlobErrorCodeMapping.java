package io.millrace.backend.azure;

import static java.util.Map.entry;

import io.millrace.backend.spi.BackendException.FailureKind;
import java.util.Map;
import java.util.Optional;

/**
 * Maps error codes of the Blob service to kinds of failure, and to what S3 clients know.
 *
 * @param kind of failure
 * @param s3Status the status that S3 has for it; 0 if the gateway's own for that kind is right
 * @param s3Code the code that S3 has for it; empty like the status
 * @see <a href="https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes">Blob service error
 * codes</a>
 */
record BlobErrorCodeMapping(FailureKind kind, int s3Status, String s3Code) {
    private static final Map<String, BlobErrorCodeMapping> CODES = Map.ofEntries(
            entry("BlobNotFound", of(FailureKind.NO_SUCH_KEY)),
            entry("ContainerNotFound", of(FailureKind.NO_SUCH_BUCKET)),
            entry("ContainerDisabled", of(FailureKind.NO_SUCH_BUCKET)),
            entry("CannotVerifyCopySource", of(FailureKind.ACCESS_DENIED)),
            // Two writers with If-None-Match: *, or one and an object that exists.
            entry("BlobAlreadyExists", of(FailureKind.PRECONDITION_FAILED)),
            entry("SourceConditionNotMet", of(FailureKind.PRECONDITION_FAILED)),
            entry("TargetConditionNotMet", of(FailureKind.PRECONDITION_FAILED)),
            entry("ContainerAlreadyExists", s3(FailureKind.INVALID_REQUEST, 409, "BucketAlreadyOwnedByYou")),
            // For half a minute after a deletion the name cannot be used again.
            entry("ContainerBeingDeleted", s3(FailureKind.UNAVAILABLE, 409, "OperationAborted")),
            entry("InvalidResourceName", s3(FailureKind.INVALID_REQUEST, 400, "InvalidArgument")),
            entry("Md5Mismatch", s3(FailureKind.INVALID_REQUEST, 400, "BadDigest")),
            entry("InvalidMd5", s3(FailureKind.INVALID_REQUEST, 400, "InvalidDigest")),
            entry("RequestBodyTooLarge", s3(FailureKind.INVALID_REQUEST, 400, "EntityTooLarge")),
            entry("InvalidBlockList", s3(FailureKind.INVALID_REQUEST, 400, "InvalidPart")),
            entry("MetadataTooLarge", s3(FailureKind.INVALID_REQUEST, 400, "MetadataTooLarge")),
            entry("BlobArchived", s3(FailureKind.INVALID_STATE, 403, "InvalidObjectState")),
            entry("BlobBeingRehydrated", s3(FailureKind.INVALID_STATE, 403, "InvalidObjectState")),
            entry("BlobImmutableDueToPolicy", s3(FailureKind.INVALID_STATE, 403, "AccessDenied")),
            entry("SnapshotsPresent", s3(FailureKind.INVALID_STATE, 409, "OperationAborted")),
            entry("LeaseIdMissing", s3(FailureKind.INVALID_STATE, 409, "OperationAborted")),
            entry("InvalidBlobType", s3(FailureKind.INVALID_STATE, 409, "OperationAborted")),
            entry("PendingCopyOperation", s3(FailureKind.UNAVAILABLE, 409, "OperationAborted")),
            entry("ServerBusy", of(FailureKind.THROTTLED)),
            entry("TooManyRequests", of(FailureKind.THROTTLED)),
            entry("OperationTimedOut", of(FailureKind.UNAVAILABLE)),
            entry("InternalError", of(FailureKind.UNAVAILABLE)),
            // The credentials themselves, whatever the status.
            entry("AuthenticationFailed", of(FailureKind.CREDENTIALS_REJECTED)),
            entry("InvalidAuthenticationInfo", of(FailureKind.CREDENTIALS_REJECTED)),
            entry("KeyBasedAuthenticationNotPermitted", of(FailureKind.CREDENTIALS_REJECTED)),
            entry("AccountIsDisabled", of(FailureKind.CREDENTIALS_REJECTED)),
            // Accepted credentials without a permission, or none for a container that strangers may not read.
            entry("AuthorizationFailure", of(FailureKind.ACCESS_DENIED)),
            entry("AuthorizationPermissionMismatch", of(FailureKind.ACCESS_DENIED)),
            entry("AuthorizationProtocolMismatch", of(FailureKind.ACCESS_DENIED)),
            entry("AuthorizationResourceTypeMismatch", of(FailureKind.ACCESS_DENIED)),
            entry("AuthorizationServiceMismatch", of(FailureKind.ACCESS_DENIED)),
            entry("AuthorizationSourceIPMismatch", of(FailureKind.ACCESS_DENIED)),
            entry("InsufficientAccountPermissions", of(FailureKind.ACCESS_DENIED)),
            entry("NoAuthenticationInformation", of(FailureKind.ACCESS_DENIED)),
            entry("PublicAccessNotPermitted", of(FailureKind.ACCESS_DENIED)));

    /** Returns the meaning of a code; empty if the status decides. */
    static Optional<BlobErrorCodeMapping> of(String code) {
        return Optional.ofNullable(CODES.get(code));
    }

    private static BlobErrorCodeMapping of(FailureKind kind) {
        return new BlobErrorCodeMapping(kind, 0, "");
    }

    private static BlobErrorCodeMapping s3(FailureKind kind, int status, String code) {
        return new BlobErrorCodeMapping(kind, status, code);
    }
}
