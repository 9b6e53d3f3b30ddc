package io.millrace.backend.file;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * The checksums S3 keeps with an object.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html">Checking object
 *     integrity</a>
 */
enum ChecksumAlgorithm {
    CRC32,
    CRC32C,
    CRC64NVME,
    SHA1,
    SHA256;

    private static final String PREFIX = "x-amz-checksum-";

    /** A checksum over bytes as they come. Used by one thread at a time. */
    interface Running {
        /** The bytes from position to limit, which position is moved behind. */
        void update(ByteBuffer bytes);

        /** The value, big-endian; called once. */
        byte[] value();
    }

    /** What {@code x-amz-checksum-algorithm} names; empty if S3 knows none of that name. */
    static Optional<ChecksumAlgorithm> named(String name) {
        return Arrays.stream(values())
                .filter(algorithm -> algorithm.name().equals(name.toUpperCase(Locale.ROOT)))
                .findFirst();
    }

    /** The one whose value the field {@code name} carries, in lower case. */
    static Optional<ChecksumAlgorithm> ofField(String name) {
        return name.startsWith(PREFIX) ? named(name.substring(PREFIX.length())) : Optional.empty();
    }

    /** The field that carries it, in lower case. */
    String field() {
        return PREFIX + name().toLowerCase(Locale.ROOT);
    }

    /** Whether the checksum of a whole follows from those of its parts. */
    boolean canBeCombined() {
        return this == CRC32 || this == CRC32C || this == CRC64NVME;
    }

    Running start() {
        return switch (this) {
            case CRC32 -> running(new CRC32(), Integer.BYTES);
            case CRC32C -> running(new CRC32C(), Integer.BYTES);
            case CRC64NVME -> running(new Crc64Nvme(), Long.BYTES);
            case SHA1 -> running("SHA-1");
            case SHA256 -> running("SHA-256");
        };
    }

    /** The checksum of {@code first} and {@code second} one behind the other, from the checksums of both. */
    byte[] combine(byte[] first, byte[] second, long lengthOfSecond) {
        CrcField field = switch (this) {
            case CRC32 -> CrcField.CRC32;
            case CRC32C -> CrcField.CRC32C;
            case CRC64NVME -> CrcField.CRC64NVME;
            case SHA1, SHA256 -> throw new IllegalStateException(this + " cannot be combined");
        };
        return bytes(field.combine(number(first), number(second), lengthOfSecond), first.length);
    }

    /** As a header carries a value. */
    static String encode(byte[] value) {
        return Base64.getEncoder().encodeToString(value);
    }

    /**
     * @throws IllegalArgumentException if this is no value
     */
    static byte[] decode(String value) {
        return Base64.getDecoder().decode(value);
    }

    private static Running running(Checksum sum, int length) {
        return new Running() {
            @Override
            public void update(ByteBuffer bytes) {
                sum.update(bytes);
            }

            @Override
            public byte[] value() {
                return bytes(sum.getValue(), length);
            }
        };
    }

    private static Running running(String digestName) {
        MessageDigest digest = digest(digestName);
        return new Running() {
            @Override
            public void update(ByteBuffer bytes) {
                digest.update(bytes);
            }

            @Override
            public byte[] value() {
                return digest.digest();
            }
        };
    }

    static MessageDigest digest(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + name, e);
        }
    }

    private static byte[] bytes(long value, int length) {
        byte[] all = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
        return Arrays.copyOfRange(all, Long.BYTES - length, Long.BYTES);
    }

    private static long number(byte[] bytes) {
        long value = 0;
        for (byte b : bytes) {
            value = value << 8 | (b & 0xFF);
        }
        return value;
    }
}
