package io.millrace.gateway.write;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * S3's checksums, computed the plain way.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html">Checking object
 *     integrity</a>
 */
enum TestChecksum {
    CRC32,
    CRC32C,
    CRC64NVME,
    SHA1,
    SHA256;

    /** The reflected polynomial of CRC-64/NVME. */
    private static final long POLYNOMIAL = 0x9A6C9329AC4BC9B5L;

    /** The field that carries it, in lower case. */
    String field() {
        return "x-amz-checksum-" + name().toLowerCase(Locale.ROOT);
    }

    /** The field with the checksum of these bytes. */
    String line(byte[] bytes) {
        return field() + ": " + of(bytes);
    }

    /** As S3 writes it. */
    String of(byte[] bytes) {
        byte[] raw = switch (this) {
            case CRC32 -> four(new CRC32(), bytes);
            case CRC32C -> four(new CRC32C(), bytes);
            case CRC64NVME ->
                ByteBuffer.allocate(Long.BYTES).putLong(crc64(bytes)).array();
            case SHA1 -> PayloadSigning.digest("SHA-1", bytes);
            case SHA256 -> PayloadSigning.digest("SHA-256", bytes);
        };
        return Base64.getEncoder().encodeToString(raw);
    }

    static String md5(byte[] bytes) {
        return Base64.getEncoder().encodeToString(PayloadSigning.digest("MD5", bytes));
    }

    private static byte[] four(Checksum sum, byte[] bytes) {
        sum.update(bytes);
        byte[] eight = ByteBuffer.allocate(Long.BYTES).putLong(sum.getValue()).array();
        return Arrays.copyOfRange(eight, Integer.BYTES, Long.BYTES);
    }

    private static long crc64(byte[] bytes) {
        long crc = -1;
        for (byte b : bytes) {
            crc ^= b & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : (crc >>> 1) ^ POLYNOMIAL;
            }
        }
        return ~crc;
    }
}
