package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.PercentDecoder;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.protocol.OpaqueIdValidator;
import java.util.Optional;

/**
 * The bucket, key and version in {@code x-amz-copy-source}, decoded once: {@code /bucket/key} or {@code bucket/key},
 * percent-encoded, optionally with {@code ?versionId=}. A plus is literal.
 */
public record CopySourceName(BucketName bucket, ObjectKey key, Optional<String> versionId) {
    private static final String VERSION = "?versionId=";

    /**
     * Parses the header, and checks that the caller may copy the source.
     *
     * @throws S3Exception InvalidArgument if it names no object, AccessDenied if the caller may not copy it
     */
    public static CopySourceName of(AuthorizedRequest authorized) {
        String value = authorized.request().amzField("x-amz-copy-source").orElse("");
        CopySourceName source = parse(value);
        if (!authorized.canCopy(source.bucket, source.key, source.versionId)) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        return source;
    }

    static CopySourceName parse(String value) {
        try {
            return parsed(value);
        } catch (S3Exception badEscape) {
            throw invalid().with("ArgumentValue", value);
        }
    }

    private static CopySourceName parsed(String value) {
        int version = value.lastIndexOf(VERSION);
        String path = version < 0 ? value : value.substring(0, version);
        Optional<String> versionId = version < 0
                ? Optional.empty()
                : Optional.of(PercentDecoder.decodePath(value.substring(version + VERSION.length())));
        if (versionId
                .filter(id -> id.isEmpty() || !OpaqueIdValidator.isPlain(id))
                .isPresent()) {
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "Invalid version id specified");
        }
        String decoded = PercentDecoder.decodePath(path);
        String name = decoded.startsWith("/") ? decoded.substring(1) : decoded;
        int slash = name.indexOf('/');
        if (slash < 0 || !BucketName.isValid(name.substring(0, slash))) {
            throw invalid();
        }
        try {
            return new CopySourceName(
                    new BucketName(name.substring(0, slash)), new ObjectKey(name.substring(slash + 1)), versionId);
        } catch (IllegalArgumentException noKey) {
            throw invalid();
        }
    }

    private static S3Exception invalid() {
        return new S3Exception(
                        S3ErrorCode.INVALID_ARGUMENT,
                        "Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
                .with("ArgumentName", "x-amz-copy-source");
    }
}
