package io.millrace.backend.spi;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.Map;
import java.util.Set;

/**
 * Creates the failure of a write with a header that a type of backend cannot honour. The client is told which header.
 */
public final class UnsupportedHeaderErrors {
    /** Headers that others act upon, as the verification of the body or a single operation. */
    private static final Set<String> LEFT_TO_OTHERS = Set.of(
            "x-amz-sdk-checksum-algorithm",
            UploadChecksumSpec.ALGORITHM_HEADER,
            UploadChecksumSpec.TYPE_HEADER,
            "x-amz-metadata-directive",
            "x-amz-bypass-governance-retention");

    /** Headers with the only values that a store without owners, tags and locks can honour. */
    private static final Map<String, Set<String>> HONOURED = Map.of(
            "x-amz-acl", Set.of("private", "bucket-owner-full-control"),
            "x-amz-tagging-directive", Set.of("COPY"),
            "x-amz-object-ownership", Set.of("BucketOwnerEnforced"),
            "x-amz-bucket-object-lock-enabled", Set.of("false"));

    private UnsupportedHeaderErrors() {}

    /**
     * Returns the failure.
     *
     * @param type of the backend, as in the settings
     */
    public static BackendException error(String header, String type) {
        String message = "%s is not supported by backend type %s".formatted(header, type);
        return new BackendException(FailureKind.UNSUPPORTED, message)
                .withS3Error(new S3Error(501, "NotImplemented", message + "."));
    }

    /**
     * Refuses a header that a backend without owners, tags and locks neither leaves to others nor honours. The failure
     * has the header's value if others of it are honoured; any other value may be a secret.
     *
     * @param left further headers that the backend leaves to others
     * @param values those that the backend honours, by the names of further headers
     */
    public static void requireHonoured(
            HeaderField header, Set<String> left, Map<String, Set<String>> values, String type) {
        String name = header.name();
        Set<String> honoured = values.getOrDefault(name, HONOURED.getOrDefault(name, Set.of()));
        if (!LEFT_TO_OTHERS.contains(name) && !left.contains(name) && !honoured.contains(header.value())) {
            throw error(honoured.isEmpty() ? name : name + ": " + header.value(), type);
        }
    }
}
