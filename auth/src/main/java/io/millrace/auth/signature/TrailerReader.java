package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.netty.buffer.ByteBuf;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the trailer of an aws-chunked body: the announced checksum, its signature if chunks are signed, and an empty
 * line.
 *
 * <pre>
 * x-amz-checksum-crc32c:sOO8/Q==
 * x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435
 *
 * </pre>
 *
 * <p>minio-go ends the first line with a line feed only and sends empty lines between and after the fields, so these
 * are ignored. The last line must still be empty.
 */
final class TrailerReader {
    private static final String SIGNATURE = "x-amz-trailer-signature:";
    private static final int SIGNATURE_LENGTH = 64;
    private static final int LONGEST_LINE = 256;
    private static final int MOST_LINES = 16;

    private final @Nullable ChecksumAlgorithm announced;
    private final @Nullable ChunkSignatureChain chain;
    private final BodyDigestVerifier checks;
    private final BoundedLineReader lines = new BoundedLineReader(LONGEST_LINE, true);
    private int count;
    private boolean closed;
    private boolean signed;
    private @Nullable String value;

    /**
     * @param announced algorithm whose value must arrive; null if no field may
     * @param chain verifies the trailer's signature; null if the trailer is unsigned
     */
    TrailerReader(
            @Nullable ChecksumAlgorithm announced, @Nullable ChunkSignatureChain chain, BodyDigestVerifier checks) {
        this.announced = announced;
        this.chain = chain;
        this.checks = checks;
    }

    /** Reads all of {@code in}. */
    void read(ByteBuf in) throws RequestVerificationException {
        for (String line = lines.read(in); line != null; line = lines.read(in)) {
            if (++count > MOST_LINES) {
                throw PayloadErrors.malformedTrailer();
            }
            closed = line.isEmpty();
            if (!closed) {
                field(line);
            }
        }
    }

    /** Ends the trailer; fails if it is incomplete. */
    void end() throws RequestVerificationException {
        if (!closed || lines.isInLine()) {
            throw PayloadErrors.badFraming();
        }
        if (announced != null && (value == null || (chain != null && !signed))) {
            throw PayloadErrors.malformedTrailer();
        }
    }

    /** Returns the checksum's value in Base64 as received; null before it arrives. */
    @Nullable String value() {
        return value;
    }

    private void field(String line) throws RequestVerificationException {
        if (announced != null && value == null) {
            value = checksum(line, announced);
        } else if (announced != null && chain != null && !signed) {
            verifySignature(line, announced, chain);
            signed = true;
        } else {
            throw PayloadErrors.malformedTrailer();
        }
    }

    private String checksum(String line, ChecksumAlgorithm algorithm) throws RequestVerificationException {
        int colon = line.indexOf(':');
        String name = colon < 0 ? "" : line.substring(0, colon).toLowerCase(Locale.ROOT);
        if (!name.equals(algorithm.headerName())) {
            throw PayloadErrors.malformedTrailer();
        }
        String text = withoutSpaceAround(line.substring(colon + 1));
        checks.trailingValue(algorithm
                .decode(text)
                .orElseThrow(() -> PayloadErrors.invalidValue(algorithm.headerName() + " trailing")));
        return text;
    }

    /** Strips spaces and tabs only, which HTTP allows around a value. */
    private static String withoutSpaceAround(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isSpace(text.charAt(from))) {
            from++;
        }
        while (to > from && isSpace(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }

    private void verifySignature(String line, ChecksumAlgorithm algorithm, ChunkSignatureChain signatures)
            throws RequestVerificationException {
        if (!line.startsWith(SIGNATURE) || line.length() != SIGNATURE.length() + SIGNATURE_LENGTH) {
            throw PayloadErrors.badFraming();
        }
        String canonical = algorithm.headerName() + ':' + value + '\n';
        signatures.verifyTrailer(canonical, line.substring(SIGNATURE.length()));
    }
}
