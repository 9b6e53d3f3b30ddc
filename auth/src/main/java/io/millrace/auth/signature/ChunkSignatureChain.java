package io.millrace.auth.signature;

import io.millrace.auth.ChunkSignatureSeed;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.Sha256;
import io.millrace.backend.spi.checksum.HashDigest;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * Verifies the signatures of the chunks and the trailer of an aws-chunked body. Each signature covers the previous one,
 * and the first covers the request's own. For one thread at a time.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">Defining the chunk body</a>
 */
final class ChunkSignatureChain {
    private static final String CHUNK = "AWS4-HMAC-SHA256-PAYLOAD";
    private static final String TRAILER = "AWS4-HMAC-SHA256-TRAILER";

    private final ChunkSignatureSeed seed;
    private final HashDigest chunk = HashDigest.of("SHA-256");
    private String previous;

    ChunkSignatureChain(ChunkSignatureSeed seed) {
        this.seed = seed;
        this.previous = seed.signature();
    }

    /** Adds bytes of the chunk. Neither indices nor ownership change. */
    void update(ByteBuf bytes) {
        chunk.update(bytes);
    }

    /** Ends the chunk and requires this signature. */
    void verifyChunk(String claimed) throws RequestVerificationException {
        String hash = HexFormat.of().formatHex(chunk.bytes());
        verify("a chunk", claimed, CHUNK, previous + '\n' + Sha256.OF_NOTHING + '\n' + hash);
    }

    /**
     * Ends the body with trailing headers and requires this signature.
     *
     * @param canonical {@code name:value}, each with a line feed
     */
    void verifyTrailer(String canonical, String claimed) throws RequestVerificationException {
        String hash = Sha256.hex(canonical.getBytes(StandardCharsets.ISO_8859_1));
        verify("the trailer", claimed, TRAILER, previous + '\n' + hash);
    }

    private void verify(String what, String claimed, String algorithm, String signed)
            throws RequestVerificationException {
        String text = algorithm + '\n' + seed.timestamp() + '\n' + seed.scope() + '\n' + signed;
        String expected = seed.sign(text);
        // In constant time: otherwise the time would reveal the right signature digit by digit.
        boolean right = MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.ISO_8859_1), claimed.getBytes(StandardCharsets.ISO_8859_1));
        if (!right) {
            throw PayloadErrors.wrongSignature(what);
        }
        previous = expected;
    }
}
