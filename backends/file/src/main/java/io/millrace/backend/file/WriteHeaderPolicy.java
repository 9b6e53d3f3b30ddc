package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.UnsupportedHeaderErrors;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.Map;
import java.util.Set;

/**
 * Decides which headers of a write are stored, which are accepted without being stored, and which are rejected. Headers
 * that a file cannot honour, for encryption or locks for instance, are never dropped in silence.
 */
final class WriteHeaderPolicy {
    private static final String REDIRECT = "x-amz-website-redirect-location";

    private static final Set<String> STORED = Set.of(
            "content-type",
            "content-encoding",
            "content-language",
            "content-disposition",
            "cache-control",
            "expires",
            REDIRECT);

    /** Headers that others act upon, as the verification of the body or a single operation. */
    private static final Set<String> ACCEPTED = Set.of(
            "content-md5",
            "x-amz-sdk-checksum-algorithm",
            UploadChecksumSpec.ALGORITHM_HEADER,
            UploadChecksumSpec.TYPE_HEADER,
            "x-amz-metadata-directive",
            "x-amz-mp-object-size",
            "x-amz-bypass-governance-retention");

    /** Headers with the only values that a file can honour: one storage class, one owner, no tags. */
    private static final Map<String, Set<String>> ACCEPTED_VALUES = Map.of(
            "x-amz-storage-class", Set.of("STANDARD"),
            "x-amz-acl", Set.of("private", "bucket-owner-full-control"),
            "x-amz-tagging-directive", Set.of("COPY"),
            "x-amz-object-ownership", Set.of("BucketOwnerEnforced"),
            "x-amz-bucket-object-lock-enabled", Set.of("false"));

    private WriteHeaderPolicy() {}

    /**
     * Returns the headers to store.
     *
     * @throws BackendException of kind {@link FailureKind#UNSUPPORTED} if one cannot be honoured
     */
    static HeaderList storable(HeaderList given) {
        for (HeaderField field : given.fields()) {
            if (!isStored(field.name()) && !isAccepted(field)) {
                throw UnsupportedHeaderErrors.error(field, ACCEPTED_VALUES, "file");
            }
        }
        return given.where(WriteHeaderPolicy::isStored);
    }

    /** Returns the checksum headers, without the checksum type. */
    static HeaderList checksums(HeaderList fields) {
        return fields.where(WriteHeaderPolicy::isChecksum);
    }

    /** Returns the headers without checksums and checksum type. */
    static HeaderList withoutChecksums(HeaderList fields) {
        return fields.where(name -> !isChecksum(name) && !name.equals(UploadChecksumSpec.TYPE_HEADER));
    }

    /** Returns the headers with this checksum type, if they have a checksum. */
    static HeaderList withChecksumType(HeaderList fields, String type) {
        return checksums(fields).fields().isEmpty() ? fields : fields.with(UploadChecksumSpec.TYPE_HEADER, type);
    }

    /** Returns the headers that a copy takes from its source. As in S3, the redirect is not copied. */
    static HeaderList copyable(HeaderList fields) {
        return withoutChecksums(fields).where(name -> !name.equals(REDIRECT));
    }

    /** Returns the headers that a copy takes from its request though it keeps the others of its source. */
    static HeaderList redirectOnly(HeaderList fields) {
        return fields.where(REDIRECT::equals);
    }

    private static boolean isStored(String name) {
        return STORED.contains(name) || name.startsWith("x-amz-meta-") || isChecksum(name);
    }

    private static boolean isAccepted(HeaderField field) {
        return ACCEPTED.contains(field.name())
                || ACCEPTED_VALUES.getOrDefault(field.name(), Set.of()).contains(field.value());
    }

    private static boolean isChecksum(String name) {
        return ChecksumAlgorithm.ofHeader(name)
                .filter(ChecksumAlgorithm::isComputed)
                .isPresent();
    }
}
