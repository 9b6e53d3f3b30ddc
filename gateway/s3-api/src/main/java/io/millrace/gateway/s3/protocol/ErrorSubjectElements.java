package io.millrace.gateway.s3.protocol;

import io.millrace.gateway.error.PercentDecoder;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestTarget.Level;
import java.util.Optional;
import java.util.Set;

/**
 * Adds to an error the elements by which S3 names its subject: the key of NoSuchKey, the bucket of NoSuchBucket. SDKs
 * and tools read them. The names are those of the request, never those of the backend.
 */
public final class ErrorSubjectElements {
    private static final String KEY = "Key";
    private static final String BUCKET = "BucketName";
    private static final String VERSION = "VersionId";
    private static final String COPY_SOURCE = "x-amz-copy-source";

    /** Errors about the bucket of the request. A copy has two buckets, and NoSuchBucket may be about either. */
    private static final Set<String> ABOUT_THE_BUCKET = Set.of(
            "BucketAlreadyExists",
            "BucketAlreadyOwnedByYou",
            "BucketNotEmpty",
            "NoSuchBucket",
            "NoSuchBucketPolicy",
            "NoSuchCORSConfiguration",
            "NoSuchLifecycleConfiguration",
            "NoSuchPublicAccessBlockConfiguration",
            "NoSuchTagSet",
            "NoSuchWebsiteConfiguration",
            "ObjectLockConfigurationNotFoundError",
            "OwnershipControlsNotFoundError",
            "ReplicationConfigurationNotFoundError",
            "ServerSideEncryptionConfigurationNotFoundError");

    private ErrorSubjectElements() {}

    /** Returns the error with the names from the request; elements it already has stay. */
    public static S3Exception of(S3Exception error, S3Request request) {
        boolean copies = request.headers().first(COPY_SOURCE).isPresent();
        if (ABOUT_THE_BUCKET.contains(error.code())) {
            return copies
                    ? error
                    : with(error, BUCKET, request.target().bucket().map(Object::toString));
        }
        if (error.code().equals(S3ErrorCode.NO_SUCH_KEY.code())) {
            return with(error, KEY, copies ? copiedKey(request) : key(request));
        }
        if (error.code().equals(S3ErrorCode.NO_SUCH_VERSION.code())) {
            return copies
                    ? with(error, KEY, copiedKey(request))
                    : with(
                            with(error, KEY, key(request)),
                            VERSION,
                            request.target().parameter("versionId"));
        }
        if (error.code().equals(S3ErrorCode.NO_SUCH_UPLOAD.code())) {
            return with(error, "UploadId", request.target().parameter("uploadId"));
        }
        if (error.code().equals(S3ErrorCode.METHOD_NOT_ALLOWED.code())) {
            return with(
                    with(error, "Method", Optional.of(request.method())),
                    "ResourceType",
                    Optional.of(type(error, request)));
        }
        return error;
    }

    private static S3Exception with(S3Exception error, String element, Optional<String> value) {
        return value.isEmpty() || error.details().containsKey(element) ? error : error.with(element, value.get());
    }

    private static Optional<String> key(S3Request request) {
        return request.target().key().map(key -> key.value());
    }

    /** Returns the key in {@code /bucket/key?versionId=ID}. */
    private static Optional<String> copiedKey(S3Request request) {
        String source = request.headers().first(COPY_SOURCE).orElse("");
        String path = source.split("\\?versionId=", 2)[0];
        try {
            String name = PercentDecoder.decodePath(path.startsWith("/") ? path.substring(1) : path);
            int slash = name.indexOf('/');
            return slash < 0 ? Optional.empty() : Optional.of(name.substring(slash + 1));
        } catch (S3Exception badEscape) {
            return Optional.empty();
        }
    }

    private static String type(S3Exception error, S3Request request) {
        boolean marker = error.headers()
                .first("x-amz-delete-marker")
                .filter("true"::equals)
                .isPresent();
        Level level = request.target().level();
        return marker && level == Level.OBJECT ? "DeleteMarker" : level.name();
    }
}
