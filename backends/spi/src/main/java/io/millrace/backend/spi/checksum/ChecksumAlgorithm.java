package io.millrace.backend.spi.checksum;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * The checksums S3 keeps with an object.
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
    /** XXH64. Not computed here: who keeps it verifies it, as with the two others of its kind. */
    XXHASH64(8),
    /** XXH3 with 64 bits. */
    XXHASH3(8),
    /** XXH3 with 128 bits. */
    XXHASH128(16);

    /** What the header of every checksum begins with. */
    public static final String HEADER_PREFIX = "x-amz-checksum-";

    private static final ChecksumAlgorithm[] ALL = values();

    private final String headerName = HEADER_PREFIX + name().toLowerCase(Locale.ROOT);
    private final int length;

    ChecksumAlgorithm(int length) {
        this.length = length;
    }

    /** The algorithm whose value the header {@code name} carries, in any case of letters; empty if it is none. */
    public static Optional<ChecksumAlgorithm> ofHeader(String name) {
        for (ChecksumAlgorithm algorithm : ALL) {
            if (algorithm.headerName.equalsIgnoreCase(name)) {
                return Optional.of(algorithm);
            }
        }
        return Optional.empty();
    }

    /** The algorithm {@code x-amz-checksum-algorithm} and its like name, in any case of letters; empty if it is none. */
    public static Optional<ChecksumAlgorithm> ofWireName(String name) {
        for (ChecksumAlgorithm algorithm : ALL) {
            if (algorithm.name().equalsIgnoreCase(name)) {
                return Optional.of(algorithm);
            }
        }
        return Optional.empty();
    }

    /** The header or trailer that carries its value, in lower case: {@code x-amz-checksum-crc32}. */
    public String headerName() {
        return headerName;
    }

    /** How {@code x-amz-checksum-algorithm} and XML name it: {@code CRC32}. */
    public String wireName() {
        return name();
    }

    /** Bytes in a value, before Base64. */
    public int length() {
        return length;
    }

    /** Whether it can be computed here. A body under one that cannot is held against it by the backend, which refuses it. */
    public boolean isComputed() {
        return this != XXHASH64 && this != XXHASH3 && this != XXHASH128;
    }

    /**
     * A digest of nothing yet.
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

    /** The value {@code base64} stands for; empty if it is not Base64 of {@link #length} bytes. */
    public Optional<byte[]> decode(String base64) {
        return Base64Value.decode(base64, length);
    }

    /**
     * The checksum of an object made of parts: that of their checksums in a row, and how many they are, {@code abc=-3}.
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

    /** Whether the checksum of a whole follows from those of its pieces, see {@link #combine}. */
    public boolean canBeCombined() {
        return this == CRC32 || this == CRC32C || this == CRC64NVME;
    }

    /**
     * The checksum of two pieces one behind the other, computed without their bytes.
     *
     * @param first the value of the first piece, {@link #length} bytes
     * @param second the value of the second
     * @param lengthOfSecond bytes in the second piece
     * @throws IllegalStateException unless it {@link #canBeCombined}
     */
    public byte[] combine(byte[] first, byte[] second, long lengthOfSecond) {
        CrcField field = switch (this) {
            case CRC32 -> CrcField.CRC32;
            case CRC32C -> CrcField.CRC32C;
            case CRC64NVME -> CrcField.CRC64NVME;
            case SHA1, SHA256, SHA512, MD5, XXHASH64, XXHASH3, XXHASH128 ->
                throw new IllegalStateException(this + " cannot be combined");
        };
        return BigEndian.bytes(
                field.combine(BigEndian.number(first), BigEndian.number(second), lengthOfSecond), length);
    }
}
