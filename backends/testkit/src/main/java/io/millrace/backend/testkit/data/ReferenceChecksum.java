package io.millrace.backend.testkit.data;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Reference implementation of S3's checksums.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html">Checking object
 *     integrity</a>
 */
public enum ReferenceChecksum {
    CRC32,
    CRC32C,
    CRC64NVME,
    SHA1,
    SHA256;

    /** The reflected polynomial of CRC-64/NVME. */
    private static final long CRC64 = 0x9A6C9329AC4BC9B5L;

    /** Returns the header of the checksum, in lower case. */
    public String headerName() {
        return "x-amz-checksum-" + name().toLowerCase(Locale.ROOT);
    }

    /** Returns the checksum in Base64, as S3 writes it. */
    public String compute(byte[] bytes) {
        return Base64.getEncoder().encodeToString(raw(bytes));
    }

    /** Returns the checksum of the parts' checksums, and their count. */
    public String composite(List<byte[]> parts) {
        byte[] sums = concatenated(parts.stream().map(this::raw).toList());
        return compute(sums) + "-" + parts.size();
    }

    private byte[] raw(byte[] bytes) {
        return switch (this) {
            case CRC32 -> bigEndian(value(new CRC32(), bytes), Integer.BYTES);
            case CRC32C -> bigEndian(value(new CRC32C(), bytes), Integer.BYTES);
            case CRC64NVME -> bigEndian(crc64(bytes), Long.BYTES);
            case SHA1 -> digest("SHA-1", bytes);
            case SHA256 -> digest("SHA-256", bytes);
        };
    }

    private static long value(Checksum sum, byte[] bytes) {
        sum.update(bytes);
        return sum.getValue();
    }

    private static long crc64(byte[] bytes) {
        long crc = -1;
        for (byte b : bytes) {
            crc ^= b & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : (crc >>> 1) ^ CRC64;
            }
        }
        return ~crc;
    }

    private static byte[] bigEndian(long value, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (value >>> (8 * (length - 1 - i)));
        }
        return bytes;
    }

    public static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + algorithm, e);
        }
    }

    /** Returns the ETag of a content, or of a part. */
    public static String md5(byte[] bytes) {
        return HexFormat.of().formatHex(digest("MD5", bytes));
    }

    /** Returns the pieces as one array. */
    public static byte[] concatenated(List<byte[]> pieces) {
        byte[] all = new byte[pieces.stream().mapToInt(piece -> piece.length).sum()];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, all, at, piece.length);
            at += piece.length;
        }
        return all;
    }
}
