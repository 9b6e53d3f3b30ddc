package io.millrace.clients;

import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import software.amazon.awssdk.checksums.DefaultChecksumAlgorithm;
import software.amazon.awssdk.checksums.SdkChecksum;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/** The checksums of S3, as far as the server can take them (CHECKSUMS): computed, and found in a head. */
final class ChecksumAlgorithms {

    static final List<ChecksumAlgorithm> ALL = Arrays.stream(System.getenv("CHECKSUMS").split(" "))
            .map(ChecksumAlgorithm::fromValue)
            .toList();

    private ChecksumAlgorithms() {}

    static String of(ChecksumAlgorithm algorithm, HeadObjectResponse head) {
        return switch (algorithm) {
            case CRC32 -> head.checksumCRC32();
            case CRC32_C -> head.checksumCRC32C();
            case CRC64_NVME -> head.checksumCRC64NVME();
            case SHA1 -> head.checksumSHA1();
            case SHA256 -> head.checksumSHA256();
            default -> throw new IllegalArgumentException(algorithm.toString());
        };
    }

    static String base64(ChecksumAlgorithm algorithm, byte[] body) {
        SdkChecksum checksum = SdkChecksum.forAlgorithm(
                switch (algorithm) {
                    case CRC32 -> DefaultChecksumAlgorithm.CRC32;
                    case CRC32_C -> DefaultChecksumAlgorithm.CRC32C;
                    case CRC64_NVME -> DefaultChecksumAlgorithm.CRC64NVME;
                    case SHA1 -> DefaultChecksumAlgorithm.SHA1;
                    case SHA256 -> DefaultChecksumAlgorithm.SHA256;
                    default -> throw new IllegalArgumentException(algorithm.toString());
                });
        checksum.update(body, 0, body.length);
        return Base64.getEncoder().encodeToString(checksum.getChecksumBytes());
    }
}
