package io.millrace.gateway.job;

import io.millrace.backend.spi.checksum.Base64Value;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/**
 * A checksum that content must have.
 *
 * @param base64 as S3 writes it
 * @param teller who says so
 */
record Checksum(ChecksumAlgorithm algorithm, String base64, String teller) {
    private static final String LIST = "the list";

    /** As lists write it: {@code sha256:HEX} or {@code crc32c:BASE64}; empty if it is none. */
    static Optional<Checksum> parse(String text) {
        int colon = text.indexOf(':');
        return colon < 0
                ? Optional.empty()
                : ChecksumAlgorithm.ofWireName(text.substring(0, colon))
                        .filter(ChecksumAlgorithm::isComputed)
                        .flatMap(algorithm -> value(algorithm, text.substring(colon + 1)))
                        .map(sum -> new Checksum(sum.algorithm, sum.base64, LIST));
    }

    /** As {@code sha256sum} and its like begin a line: the digits say by their number what they are. */
    static Optional<Checksum> ofDigits(String hex) {
        Optional<ChecksumAlgorithm> algorithm = switch (hex.length()) {
            case 32 -> Optional.of(ChecksumAlgorithm.MD5);
            case 40 -> Optional.of(ChecksumAlgorithm.SHA1);
            case 64 -> Optional.of(ChecksumAlgorithm.SHA256);
            case 128 -> Optional.of(ChecksumAlgorithm.SHA512);
            default -> Optional.empty();
        };
        return algorithm.flatMap(known -> value(known, hex));
    }

    /** As a server's field tells it. */
    static Optional<Checksum> told(ChecksumAlgorithm algorithm, String base64) {
        return algorithm.decode(base64).map(bytes -> new Checksum(algorithm, base64, "its server"));
    }

    /** Whether the checksum of the whole follows from those of its parts. */
    boolean canBeCombined() {
        return algorithm.canBeCombined();
    }

    @Override
    public String toString() {
        return algorithm.wireName().toLowerCase(Locale.ROOT) + ":" + base64;
    }

    private static Optional<Checksum> value(ChecksumAlgorithm algorithm, String text) {
        if (text.length() == 2 * algorithm.length() && text.matches("[0-9A-Fa-f]+")) {
            return Optional.of(
                    new Checksum(algorithm, Base64Value.encode(HexFormat.of().parseHex(text)), LIST));
        }
        return algorithm.decode(text).map(bytes -> new Checksum(algorithm, text, LIST));
    }
}
