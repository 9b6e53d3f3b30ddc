package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/**
 * A checksum that content must have.
 *
 * @param base64 as S3 writes it
 * @param teller the source of the checksum, in words for messages
 */
public record ExpectedChecksum(ChecksumAlgorithm algorithm, String base64, String teller) {
    private static final String LIST = "the list";

    /**
     * Parses {@code sha256:HEX} or {@code crc32c:BASE64}, as lists write it; empty if the text does not begin with an
     * algorithm.
     *
     * @throws IllegalArgumentException if the text begins with an algorithm, but has no valid checksum after it; such a
     *     text is a mistake and not a key
     */
    static Optional<ExpectedChecksum> parse(String text) {
        int colon = text.indexOf(':');
        return colon < 0
                ? Optional.empty()
                : ChecksumAlgorithm.ofWireName(text.substring(0, colon))
                        .map(algorithm -> required(algorithm, text.substring(colon + 1)));
    }

    /**
     * Parses the digits at the beginning of a line of {@code sha256sum} and similar tools. Their number determines the
     * algorithm.
     */
    static Optional<ExpectedChecksum> ofDigits(String hex) {
        Optional<ChecksumAlgorithm> algorithm = switch (hex.length()) {
            case 32 -> Optional.of(ChecksumAlgorithm.MD5);
            case 40 -> Optional.of(ChecksumAlgorithm.SHA1);
            case 64 -> Optional.of(ChecksumAlgorithm.SHA256);
            case 128 -> Optional.of(ChecksumAlgorithm.SHA512);
            default -> Optional.empty();
        };
        return algorithm.flatMap(supported -> value(supported, hex));
    }

    /** Creates the checksum of a response header. */
    public static Optional<ExpectedChecksum> parse(ChecksumAlgorithm algorithm, String base64) {
        return algorithm
                .decode(base64)
                .map(bytes -> new ExpectedChecksum(algorithm, Base64Digest.encode(bytes), "its server"));
    }

    /** Returns true if the checksum of the whole follows from those of its parts. */
    public boolean canBeCombined() {
        return algorithm.canBeCombined();
    }

    @Override
    public String toString() {
        return algorithm.wireName().toLowerCase(Locale.ROOT) + ":" + base64;
    }

    private static ExpectedChecksum required(ChecksumAlgorithm algorithm, String text) {
        return Optional.of(algorithm)
                .filter(ChecksumAlgorithm::isComputed)
                .flatMap(supported -> value(supported, text))
                .orElseThrow(() -> new IllegalArgumentException(
                        ("has no %s behind that word: write it in hex or Base64; in a key that begins so write %%3A "
                                        + "for the colon")
                                .formatted(algorithm.wireName())));
    }

    private static Optional<ExpectedChecksum> value(ChecksumAlgorithm algorithm, String text) {
        if (text.length() == 2 * algorithm.length() && text.matches("[0-9A-Fa-f]+")) {
            return Optional.of(new ExpectedChecksum(
                    algorithm, Base64Digest.encode(HexFormat.of().parseHex(text)), LIST));
        }
        return algorithm.decode(text).map(bytes -> new ExpectedChecksum(algorithm, Base64Digest.encode(bytes), LIST));
    }
}
