package io.millrace.backend.spi.checksum;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * A checksum algorithm of S3, computed by the gateway or only passed on.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html">Checking object
 *     integrity</a>
 */
public enum ChecksumAlgorithm {
    /** CRC-32 of zip and Ethernet. */
    CRC32(4),
    /** CRC-32C of Castagnoli. */
    CRC32C(4),
    /** CRC-64 of NVM Express. */
    CRC64NVME(8),
    /** SHA-1. */
    SHA1(20),
    /** SHA-256. */
    SHA256(32),
    /** SHA-512. */
    SHA512(64),
    /** MD5, beside and apart from Content-MD5. */
    MD5(16),
    /** XXH64. Not computed here, like the other XXH algorithms: the backend verifies it. */
    XXHASH64(8),
    /** XXH3 with 64 bits. */
    XXHASH3(8),
    /** XXH3 with 128 bits. */
    XXHASH128(16);

    /** The prefix of every checksum header. */
    public static final String HEADER_PREFIX = "x-amz-checksum-";

    /** The request header by which a read asks for the stored checksums. */
    public static final String MODE_HEADER = HEADER_PREFIX + "mode";

    private static final ChecksumAlgorithm[] ALL = values();

    private final String headerName = HEADER_PREFIX + name().toLowerCase(Locale.ROOT);
    private final int length;

    ChecksumAlgorithm(int length) {
        this.length = length;
    }

    /** Returns whether the header {@code name}, in lower case, is about checksums: a value, their type or algorithm. */
    public static boolean isHeader(String name) {
        return name.startsWith(HEADER_PREFIX);
    }

    /** Returns the algorithm of the header {@code name}, case-insensitively; empty if it is no checksum header. */
    public static Optional<ChecksumAlgorithm> ofHeader(String name) {
        for (ChecksumAlgorithm algorithm : ALL) {
            if (algorithm.headerName.equalsIgnoreCase(name)) {
                return Optional.of(algorithm);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the algorithm with this name in {@code x-amz-checksum-algorithm}, case-insensitively; empty if there is
     * none.
     */
    public static Optional<ChecksumAlgorithm> ofWireName(String name) {
        for (ChecksumAlgorithm algorithm : ALL) {
            if (algorithm.name().equalsIgnoreCase(name)) {
                return Optional.of(algorithm);
            }
        }
        return Optional.empty();
    }

    /** Returns the header or trailer of its value, in lower case: {@code x-amz-checksum-crc32}. */
    public String headerName() {
        return headerName;
    }

    /** Returns its name in {@code x-amz-checksum-algorithm} and XML: {@code CRC32}. */
    public String wireName() {
        return name();
    }

    /** Returns the bytes of a value, before Base64. */
    public int length() {
        return length;
    }

    /** Returns whether it is computed here. If not, the backend verifies the body and refuses a wrong one. */
    public boolean isComputed() {
        return this != XXHASH64 && this != XXHASH3 && this != XXHASH128;
    }

    /**
     * Returns a new digest.
     *
     * @throws IllegalStateException if it is not {@link #isComputed computed}
     */
    public ChecksumDigest newDigest() {
        return switch (this) {
            case CRC32 -> new CrcDigest(new CRC32(), length);
            case CRC32C -> new CrcDigest(new CRC32C(), length);
            case CRC64NVME -> new CrcDigest(new Crc64Nvme(), length);
            case SHA1 -> HashDigest.of("SHA-1");
            case SHA256 -> HashDigest.of("SHA-256");
            case SHA512 -> HashDigest.of("SHA-512");
            case MD5 -> HashDigest.of("MD5");
            case XXHASH64, XXHASH3, XXHASH128 -> throw new IllegalStateException(this + " is not computed here");
        };
    }

    /** Decodes a value; empty if {@code base64} is not Base64 of {@link #length} bytes. */
    public Optional<byte[]> decode(String base64) {
        return Base64Digest.decode(base64, length);
    }

    /**
     * Returns the composite checksum of a multipart object: the checksum of the parts' checksums, and their number,
     * {@code abc=-3}.
     *
     * @param parts the parts' checksums in Base64, in order
     * @throws IllegalArgumentException if one is not of this algorithm
     */
    public String composite(List<String> parts) {
        ChecksumDigest digest = newDigest();
        for (String part : parts) {
            digest.update(decode(part).orElseThrow(() -> new IllegalArgumentException("no " + name() + ": " + part)));
        }
        return digest.base64() + '-' + parts.size();
    }

    /** Returns whether every S3 server that stores checksums stores this one. */
    public boolean isStoredEverywhere() {
        return this == CRC32 || this == CRC32C || this == SHA1 || this == SHA256;
    }

    /** Returns whether {@link #combine} can compute the checksum of a whole from those of its parts. */
    public boolean canBeCombined() {
        return this == CRC32 || this == CRC32C || this == CRC64NVME;
    }

    /**
     * Returns the checksum of two concatenated parts, computed without their bytes.
     *
     * @param first the checksum of the first part, {@link #length} bytes
     * @param second the checksum of the second part
     * @param lengthOfSecond bytes in the second part
     * @throws IllegalStateException unless it {@link #canBeCombined}
     */
    public byte[] combine(byte[] first, byte[] second, long lengthOfSecond) {
        CrcCombiner field = switch (this) {
            case CRC32 -> CrcCombiner.CRC32;
            case CRC32C -> CrcCombiner.CRC32C;
            case CRC64NVME -> CrcCombiner.CRC64NVME;
            case SHA1, SHA256, SHA512, MD5, XXHASH64, XXHASH3, XXHASH128 ->
                throw new IllegalStateException(this + " cannot be combined");
        };
        return BigEndian.bytes(
                field.combine(BigEndian.number(first), BigEndian.number(second), lengthOfSecond), length);
    }
}
