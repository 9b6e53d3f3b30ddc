package io.millrace.auth;

import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Kind of integrity protection of a request's body (hash, signed chunks or none), as {@code x-amz-content-sha256}
 * states it. The request verifier does not read the body; {@link io.millrace.auth.signature.PayloadVerifier} verifies
 * it against this type.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html">Payload
 *     options</a>
 */
public sealed interface PayloadType {
    /** {@code UNSIGNED-PAYLOAD}: the signature covers no body. */
    PayloadType UNSIGNED = new Unsigned();

    /**
     * No header: the signature is over an empty body. A body that is sent anyway is not covered by the signature; curl
     * 7.88 uploads this way.
     */
    PayloadType UNSTATED = new Unstated();

    /** Returns the text that is signed in place of the body: the header's value if there is a header. */
    String text();

    /** Parses the value of the header or query parameter; empty if it names no type. */
    static Optional<PayloadType> parse(String text) {
        return Optional.ofNullable(
                switch (text) {
                    case Unsigned.WORD -> UNSIGNED;
                    case SignedChunks.WORD -> new SignedChunks(false);
                    case SignedChunks.WORD_WITH_TRAILER -> new SignedChunks(true);
                    case UnsignedChunksWithTrailer.WORD -> new UnsignedChunksWithTrailer();
                    default -> sha256(text.toLowerCase(Locale.ROOT));
                });
    }

    private static @Nullable Sha256 sha256(String text) {
        return Sha256.isHash(text) ? new Sha256(text) : null;
    }

    /**
     * The body has this SHA-256.
     *
     * @param hex 64 lower-case hex digits
     */
    record Sha256(String hex) implements PayloadType {
        private static final int LENGTH = 64;

        /**
         * @throws IllegalArgumentException if {@code hex} is anything else
         */
        public Sha256 {
            if (!isHash(hex)) {
                throw new IllegalArgumentException("a SHA-256 has 64 lower-case hex digits");
            }
        }

        @Override
        public String text() {
            return hex;
        }

        private static boolean isHash(String text) {
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
                    return false;
                }
            }
            return text.length() == LENGTH;
        }
    }

    /** See {@link #UNSIGNED}. */
    record Unsigned() implements PayloadType {
        private static final String WORD = "UNSIGNED-PAYLOAD";

        @Override
        public String text() {
            return WORD;
        }
    }

    /**
     * aws-chunked with a signature for each chunk, chained to the request's own signature.
     *
     * @param trailer whether signed trailing headers follow
     */
    record SignedChunks(boolean trailer) implements PayloadType {
        private static final String WORD = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
        private static final String WORD_WITH_TRAILER = WORD + "-TRAILER";

        @Override
        public String text() {
            return trailer ? WORD_WITH_TRAILER : WORD;
        }
    }

    /** aws-chunked, unsigned, with a checksum in the trailing headers. */
    record UnsignedChunksWithTrailer() implements PayloadType {
        private static final String WORD = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

        @Override
        public String text() {
            return WORD;
        }
    }

    /** See {@link #UNSTATED}. */
    record Unstated() implements PayloadType {
        @Override
        public String text() {
            return io.millrace.auth.Sha256.OF_NOTHING;
        }
    }
}
