package io.millrace.gateway.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** What a request says of its body, checked when all is known. */
final class Checksums {
    private static final String PREFIX = "x-amz-checksum-";

    private Checksums() {}

    /**
     * @param trailer the value of the trailing header
     * @param bytes one char each
     * @throws AssertionError if {@code bytes} are not what the request says of them
     */
    static void require(Input said, Optional<String> trailer, String bytes) {
        for (Input.Field field : said.fields()) {
            if (field.name().equals("content-md5")) {
                requireEqual(field.value(), Hashes.base64("MD5", bytes), field.name());
            } else if (field.name().startsWith(PREFIX)) {
                sum(field.name().substring(PREFIX.length()), bytes)
                        .ifPresent(right -> requireEqual(field.value(), right, field.name()));
            } else if (field.name().equals("x-amz-trailer")) {
                String name = field.value().strip().toLowerCase(Locale.ROOT);
                sum(name.substring(Math.min(name.length(), PREFIX.length())), bytes)
                        .ifPresent(right -> requireEqual(trailer.orElse("absent"), right, name));
            } else if (field.name().equals("x-amz-content-sha256")
                    && field.value().length() == 64) {
                boolean same = field.value().equalsIgnoreCase(Hashes.hex("SHA-256", bytes));
                FuzzTarget.require(same, "another hash", field);
            }
        }
    }

    private static Optional<String> sum(String algorithm, String bytes) {
        return switch (algorithm) {
            case "sha1" -> Optional.of(Hashes.base64("SHA-1", bytes));
            case "sha256" -> Optional.of(Hashes.base64("SHA-256", bytes));
            case "sha512" -> Optional.of(Hashes.base64("SHA-512", bytes));
            case "md5" -> Optional.of(Hashes.base64("MD5", bytes));
            case "crc32" -> Optional.of(crc(new CRC32(), bytes));
            case "crc32c" -> Optional.of(crc(new CRC32C(), bytes));
            case "crc64nvme" -> Optional.of(crc64(bytes));
            default -> Optional.empty();
        };
    }

    private static String crc(Checksum crc, String bytes) {
        crc.update(bytes.getBytes(StandardCharsets.ISO_8859_1));
        return base64(crc.getValue(), 4);
    }

    /** CRC-64/NVME bit by bit. */
    private static String crc64(String bytes) {
        long crc = -1;
        for (int i = 0; i < bytes.length(); i++) {
            crc ^= bytes.charAt(i);
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : (crc >>> 1) ^ 0x9A6C9329AC4BC9B5L;
            }
        }
        return base64(~crc, 8);
    }

    private static String base64(long value, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (value >>> (8 * (length - 1 - i)));
        }
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** The last digits of Base64 have bits that mean nothing. */
    private static void requireEqual(String said, String right, String name) {
        try {
            String one = HexFormat.of().formatHex(Base64.getDecoder().decode(said.strip()));
            String other = HexFormat.of().formatHex(Base64.getDecoder().decode(right));
            FuzzTarget.require(one.equals(other), "another sum", name, said);
        } catch (IllegalArgumentException noBase64) {
            throw new AssertionError(name + " is no Base64: " + said, noBase64);
        }
    }
}
