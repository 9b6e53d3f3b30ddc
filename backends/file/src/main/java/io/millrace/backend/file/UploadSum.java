package io.millrace.backend.file;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.checksum.Base64Value;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The checksum that the object of an upload is to have.
 *
 * @param composite whether it is one of the parts' checksums, or of the whole object
 */
record UploadSum(ChecksumAlgorithm algorithm, boolean composite) {
    /**
     * A part as far as its checksum goes.
     *
     * @param sum as a header carries it
     */
    record Part(String sum, long size) {}

    /**
     * What the fields that begin an upload ask for; empty if they do not.
     *
     * @throws io.millrace.backend.spi.BackendException in S3's words if there is no such checksum
     */
    static Optional<UploadSum> of(HeaderList headers) {
        return algorithm(headers).map(algorithm -> of(algorithm, headers));
    }

    /** The algorithm that the fields of an upload or a copy ask for. */
    static Optional<ChecksumAlgorithm> algorithm(HeaderList headers) {
        return headers.first(StoredFields.ALGORITHM)
                .map(name -> ChecksumAlgorithm.ofWireName(name)
                        .filter(ChecksumAlgorithm::isComputed)
                        .orElseThrow(() -> Refused.of(
                                "InvalidRequest",
                                "Checksum algorithm provided is unsupported: it is one of CRC32, CRC32C, CRC64NVME, SHA1,"
                                        + " SHA256, SHA512 and MD5.")));
    }

    private static UploadSum of(ChecksumAlgorithm algorithm, HeaderList headers) {
        String type = headers.first(StoredFields.TYPE)
                .orElse(algorithm == ChecksumAlgorithm.CRC64NVME ? StoredFields.FULL_OBJECT : StoredFields.COMPOSITE);
        UploadSum sum = new UploadSum(algorithm, type.equals(StoredFields.COMPOSITE));
        boolean possible = sum.composite() ? algorithm != ChecksumAlgorithm.CRC64NVME : algorithm.canBeCombined();
        if (!possible || !type.equals(sum.type())) {
            throw Refused.of(
                    "InvalidRequest",
                    "The %s checksum type cannot be used with the %s checksum algorithm."
                            .formatted(type, algorithm.name().toLowerCase(Locale.ROOT)));
        }
        return sum;
    }

    String type() {
        return composite ? StoredFields.COMPOSITE : StoredFields.FULL_OBJECT;
    }

    /** As listings and the answer to the beginning tell it. */
    HeaderList fields() {
        return HeaderList.EMPTY.with(StoredFields.ALGORITHM, algorithm.name()).with(StoredFields.TYPE, type());
    }

    /** The value of the object's checksum, as a header carries it. */
    String over(List<Part> parts) {
        if (composite) {
            return algorithm.composite(parts.stream().map(Part::sum).toList());
        }
        byte[] whole = algorithm.newDigest().bytes();
        for (Part part : parts) {
            whole = algorithm.combine(whole, algorithm.decode(part.sum()).orElseThrow(), part.size());
        }
        return Base64Value.encode(whole);
    }
}
