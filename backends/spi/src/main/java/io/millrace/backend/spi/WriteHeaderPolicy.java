package io.millrace.backend.spi;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.Map;
import java.util.Set;

/**
 * Decides which headers of a write are stored, which are accepted without being stored, and which are rejected, for
 * backends without a server that decides. Headers that they cannot honour, for encryption or locks for instance, are
 * never dropped in silence.
 */
public final class WriteHeaderPolicy {
    private static final String REDIRECT = "x-amz-website-redirect-location";

    private static final Set<String> STORED = Set.of(
            "content-type",
            "content-encoding",
            "content-language",
            "content-disposition",
            "cache-control",
            "expires",
            REDIRECT);

    private static final Set<String> LEFT_TO_OTHERS = Set.of("content-md5", "x-amz-mp-object-size");
    private static final Map<String, Set<String>> HONOURED = Map.of("x-amz-storage-class", Set.of("STANDARD"));

    private WriteHeaderPolicy() {}

    /**
     * Returns the headers to store.
     *
     * @param type of the backend, as clients are told it
     * @throws BackendException of kind {@link FailureKind#UNSUPPORTED} if one cannot be honoured
     */
    public static HeaderList storable(String type, HeaderList given) {
        for (HeaderField field : given.fields()) {
            if (!isStored(field.name())) {
                UnsupportedHeaderErrors.requireHonoured(field, LEFT_TO_OTHERS, HONOURED, type);
            }
        }
        return given.where(WriteHeaderPolicy::isStored);
    }

    /** Returns the checksum headers, without the checksum type. */
    public static HeaderList checksums(HeaderList fields) {
        return fields.where(WriteHeaderPolicy::isChecksum);
    }

    /** Returns the headers without checksums and checksum type. */
    public static HeaderList withoutChecksums(HeaderList fields) {
        return fields.where(name -> !isChecksum(name) && !name.equals(UploadChecksumSpec.TYPE_HEADER));
    }

    /** Returns the headers with this checksum type, if they have a checksum. */
    public static HeaderList withChecksumType(HeaderList fields, String type) {
        return checksums(fields).fields().isEmpty() ? fields : fields.with(UploadChecksumSpec.TYPE_HEADER, type);
    }

    /** Returns the headers that a copy takes from its source. As in S3, the redirect is not copied. */
    public static HeaderList copyable(HeaderList fields) {
        return withoutChecksums(fields).where(name -> !name.equals(REDIRECT));
    }

    /** Returns the headers that a copy takes from its request though it keeps the others of its source. */
    public static HeaderList redirectOnly(HeaderList fields) {
        return fields.where(REDIRECT::equals);
    }

    private static boolean isStored(String name) {
        return STORED.contains(name) || name.startsWith("x-amz-meta-") || isChecksum(name);
    }

    private static boolean isChecksum(String name) {
        return ChecksumAlgorithm.ofHeader(name)
                .filter(ChecksumAlgorithm::isComputed)
                .isPresent();
    }
}
