package io.millrace.backend.spi;

import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The checksum algorithm and type that a multipart upload was created with.
 *
 * @param composite whether the checksum is computed over the parts' checksums, or over the whole object
 */
public record UploadChecksumSpec(ChecksumAlgorithm algorithm, boolean composite) {
    /** The header that names the algorithm. */
    public static final String ALGORITHM_HEADER = ChecksumAlgorithm.HEADER_PREFIX + "algorithm";

    /** The header that names the type: {@link #COMPOSITE} or {@link #FULL_OBJECT}. */
    public static final String TYPE_HEADER = ChecksumAlgorithm.HEADER_PREFIX + "type";

    public static final String COMPOSITE = "COMPOSITE";
    public static final String FULL_OBJECT = "FULL_OBJECT";

    /**
     * The checksum and size of a part.
     *
     * @param checksum in the form of a header value
     */
    record PartChecksum(String checksum, long size) {}

    /**
     * Returns the checksum that the headers of a new upload request; empty if they request none.
     *
     * @throws io.millrace.backend.spi.BackendException with S3's error if there is no such checksum
     */
    public static Optional<UploadChecksumSpec> of(HeaderList headers) {
        return algorithm(headers).map(algorithm -> of(algorithm, headers));
    }

    /** Returns the algorithm that the headers of an upload or a copy request. */
    public static Optional<ChecksumAlgorithm> algorithm(HeaderList headers) {
        return headers.first(ALGORITHM_HEADER)
                .map(name -> ChecksumAlgorithm.ofWireName(name)
                        .filter(ChecksumAlgorithm::isComputed)
                        .orElseThrow(() -> InvalidRequestErrors.error(
                                "InvalidRequest",
                                "Checksum algorithm provided is unsupported: it is one of CRC32, CRC32C, CRC64NVME,"
                                        + " SHA1, SHA256, SHA512 and MD5.")));
    }

    private static UploadChecksumSpec of(ChecksumAlgorithm algorithm, HeaderList headers) {
        String type =
                headers.first(TYPE_HEADER).orElse(algorithm == ChecksumAlgorithm.CRC64NVME ? FULL_OBJECT : COMPOSITE);
        UploadChecksumSpec sum = new UploadChecksumSpec(algorithm, type.equals(COMPOSITE));
        boolean possible = sum.composite() ? algorithm != ChecksumAlgorithm.CRC64NVME : algorithm.canBeCombined();
        if (!possible || !type.equals(sum.type())) {
            throw InvalidRequestErrors.error(
                    "InvalidRequest",
                    "The %s checksum type cannot be used with the %s checksum algorithm."
                            .formatted(type, algorithm.name().toLowerCase(Locale.ROOT)));
        }
        return sum;
    }

    /** Returns the value of {@link #TYPE_HEADER}. */
    public String type() {
        return composite ? COMPOSITE : FULL_OBJECT;
    }

    /** Returns the headers for listings and for the response to the creation. */
    public HeaderList headers() {
        return HeaderList.EMPTY.with(ALGORITHM_HEADER, algorithm.name()).with(TYPE_HEADER, type());
    }

    /** Computes the object's checksum from those of its parts, in the form of a header value. */
    String combine(List<PartChecksum> parts) {
        if (composite) {
            return algorithm.composite(
                    parts.stream().map(PartChecksum::checksum).toList());
        }
        byte[] whole = algorithm.newDigest().bytes();
        for (PartChecksum part : parts) {
            whole = algorithm.combine(whole, algorithm.decode(part.checksum()).orElseThrow(), part.size());
        }
        return Base64Digest.encode(whole);
    }
}
