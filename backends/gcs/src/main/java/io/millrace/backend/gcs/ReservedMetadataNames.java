package io.millrace.backend.gcs;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.util.Set;

/**
 * The names of the custom metadata in which Millrace stores what Google Cloud Storage has no field for. Clients neither
 * see nor write them; others with the same prefix are theirs, such as those of downloads.
 */
final class ReservedMetadataNames {
    /** The prefix of all of them. */
    static final String PREFIX = "millrace-";

    /** S3's ETag of an object that was uploaded in parts. */
    static final String ETAG = PREFIX + "etag";

    /**
     * The CRC32C of the bytes that {@link #ETAG} and the checksums are of. If the object has another, they do not
     * count.
     */
    static final String CONTENT = PREFIX + "crc32c";

    /** The {@code Expires} header. */
    static final String EXPIRES = PREFIX + "expires";

    /** The type of the stored checksum, {@code COMPOSITE} or {@code FULL_OBJECT}. */
    static final String CHECKSUM_TYPE = PREFIX + "checksum-type";

    /** The multipart upload that an object is of, so that a repeated completion is recognized. */
    static final String UPLOAD = PREFIX + "upload";

    private static final String CHECKSUM = PREFIX + "checksum-";

    private static final Set<String> SINGLE = Set.of(ETAG, CONTENT, EXPIRES, UPLOAD);

    private ReservedMetadataNames() {}

    /** Returns whether a name is one of these. */
    static boolean contains(String name) {
        return SINGLE.contains(name) || name.startsWith(CHECKSUM);
    }

    /** Returns the name for the checksum of an algorithm: {@code millrace-checksum-sha256}. */
    static String checksum(ChecksumAlgorithm algorithm) {
        return CHECKSUM + algorithm.headerName().substring(ChecksumAlgorithm.HEADER_PREFIX.length());
    }
}
