package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.checksum.HashDigest;
import io.netty.buffer.ByteBuf;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Computes the digests of a body and compares them with the expected ones. For one thread at a time. */
final class BodyDigestVerifier {
    private final List<Check> checks = new ArrayList<>();
    private @Nullable Check trailing;

    /** Expects the signed hash, in hex. */
    void expectSha256(String hex) {
        byte[] expected = HexFormat.of().parseHex(hex);
        checks.add(new Check(HashDigest.of("SHA-256"), expected, found -> mismatch(hex, found)));
    }

    /** Expects a Content-MD5. */
    void expectMd5(byte[] expected) {
        checks.add(new Check(HashDigest.of("MD5"), expected, found -> md5Mismatch(expected, found)));
    }

    /**
     * Expects a checksum, whose value may come {@link #trailingValue after the body}. Algorithms that are not computed
     * here are left to the backend that stores the body.
     */
    void expect(AnnouncedChecksum checksum) {
        ChecksumAlgorithm algorithm = checksum.algorithm();
        if (!algorithm.isComputed()) {
            return;
        }
        byte[] expected = checksum.value().flatMap(algorithm::decode).orElse(null);
        Check check = new Check(algorithm.newDigest(), expected, found -> mismatch(algorithm));
        checks.add(check);
        trailing = expected == null ? check : null;
    }

    /** Sets the value of the checksum that was announced without one. */
    void trailingValue(byte[] value) {
        if (trailing != null) {
            trailing.expected = value;
        }
    }

    /** Takes the next bytes of the body. Neither indices nor ownership change. */
    void update(ByteBuf bytes) {
        for (Check check : checks) {
            check.digest.update(bytes);
        }
    }

    /** Compares all digests, after the last byte of the body. */
    void verify() throws RequestVerificationException {
        for (Check check : checks) {
            byte[] found = check.digest.bytes();
            if (check.expected == null || !MessageDigest.isEqual(check.expected, found)) {
                throw check.mismatch.with(found);
            }
        }
    }

    private static RequestVerificationException mismatch(String signed, byte[] found) {
        return new RequestVerificationException(
                Code.CONTENT_SHA256_MISMATCH,
                "The provided 'x-amz-content-sha256' header does not match what was computed.",
                PayloadErrors.details(
                        "ClientComputedContentSHA256",
                        signed,
                        "S3ComputedContentSHA256",
                        HexFormat.of().formatHex(found)));
    }

    private static RequestVerificationException md5Mismatch(byte[] expected, byte[] found) {
        return new RequestVerificationException(
                Code.BAD_DIGEST,
                "The Content-MD5 you specified did not match what we received.",
                PayloadErrors.details(
                        "ExpectedDigest",
                        Base64.getEncoder().encodeToString(expected),
                        "CalculatedDigest",
                        Base64.getEncoder().encodeToString(found)));
    }

    private static RequestVerificationException mismatch(ChecksumAlgorithm algorithm) {
        return new RequestVerificationException(
                Code.BAD_DIGEST,
                "The " + algorithm.wireName() + " you specified did not match the calculated checksum.");
    }

    private static final class Check {
        private final ChecksumDigest digest;
        private final Mismatch mismatch;
        private byte @Nullable [] expected;

        Check(ChecksumDigest digest, byte @Nullable [] expected, Mismatch mismatch) {
            this.digest = digest;
            this.expected = expected;
            this.mismatch = mismatch;
        }
    }

    private interface Mismatch {
        /** Returns the error for a body with this digest. */
        RequestVerificationException with(byte[] found);
    }
}
