package io.millrace.auth.payload;

import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;
import io.millrace.auth.Authentication;
import io.millrace.auth.ChunkSignatureSeed;
import io.millrace.auth.PayloadType;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Reads the body of one write as its request announced it. Made before the first byte of the body, so that what contradicts
 * itself is refused without reading any.
 *
 * <p>Of a body that is wrong in any way (cut, too long, badly framed, a signature or checksum that does not fit) the decoded
 * pieces end in an {@link AuthException} before the one with the last byte; of a signed chunk nothing comes out before its
 * signature is verified. A body of no bytes is verified as well, so wait for its completion before acting on it.
 *
 * <p>A body that states no hash with a signature over an empty one ({@link PayloadType#UNSTATED}) is read as an unsigned one:
 * curl 7.88 uploads so. Thread-safe; for one body.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">Chunked upload</a>
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html">Trailing headers</a>
 */
public final class PayloadReader {
    private static final String CONTENT_HASH = "x-amz-content-sha256";
    private static final String CONTENT_ENCODING = "content-encoding";
    private static final String AWS_CHUNKED = "aws-chunked";
    private static final int MD5_LENGTH = 16;

    private final long length;
    private final Optional<AnnouncedChecksum> checksum;
    private final Optional<String> contentEncoding;
    private final PayloadDecoder decoder;
    private final TrailerReader trailer;
    private final AtomicBoolean taken = new AtomicBoolean();
    private volatile boolean verified;

    private PayloadReader(
            PayloadType form, @Nullable ChunkSignatureSeed seed, PayloadHeaders headers, PayloadLimits limits)
            throws AuthException {
        boolean signedTrailer = form instanceof PayloadType.SignedChunks chunks && chunks.trailer();
        boolean unsignedChunks = form instanceof PayloadType.UnsignedChunksWithTrailer;
        boolean chunked = seed != null || unsignedChunks;
        this.length = PayloadLength.of(headers, chunked, limits.longest());
        this.checksum = AnnouncedChecksum.of(headers, signedTrailer || unsignedChunks);
        this.contentEncoding = withoutAwsChunked(headers);
        if (signedTrailer && trailing().isEmpty()) {
            throw PayloadErrors.malformedTrailer();
        }
        BodyDigests checks = checks(form, headers);
        DecodedBuffer decoded = new DecodedBuffer(length, checks);
        ChunkSignatureChain chain = seed == null ? null : new ChunkSignatureChain(seed);
        this.trailer = new TrailerReader(trailing().orElse(null), chain, checks);
        this.decoder = new PayloadDecoder(chunked ? chunked(decoded, chain, limits) : new PlainBody(decoded), decoded);
    }

    /**
     * A reader for the body of the request that {@code who} came of.
     *
     * @throws AuthException if what the headers say of the body cannot be, contradicts itself, leaves its length open, or is
     *     more than {@code limits} allow
     */
    public static PayloadReader of(Authentication who, PayloadHeaders headers, PayloadLimits limits)
            throws AuthException {
        if (who instanceof Authentication.Signed signed) {
            return new PayloadReader(signed.payload(), signed.chunkSeed().orElse(null), headers, limits);
        }
        return new PayloadReader(unsignedForm(headers), null, headers, limits);
    }

    /** How many bytes the body has, decoded. */
    public long length() {
        return length;
    }

    /** The checksum that was announced, in a header or for the trailer. */
    public Optional<ChecksumAlgorithm> checksum() {
        return checksum.map(AnnouncedChecksum::algorithm);
    }

    /** The Content-Encoding to store: as it was sent, but for {@code aws-chunked}; empty if nothing is left. */
    public Optional<String> contentEncoding() {
        return contentEncoding;
    }

    /**
     * The body as a backend takes it, with the trailer that was announced.
     *
     * @param raw as {@link #decode} takes it
     */
    public UploadBody body(Flux<ByteBuf> raw) {
        Optional<UploadBody.Trailer> announced =
                trailing().map(algorithm -> new UploadBody.Trailer(algorithm.headerName(), this::trailerValue));
        return new UploadBody(length, decode(raw), announced);
    }

    /**
     * The decoded pieces of the body, {@link #length} bytes in all, none of them empty. They may be subscribed to once, and
     * the subscriber releases each. {@code raw} is asked for one piece at a time, and only when a piece is wanted that is not
     * there yet.
     *
     * <p>An error or a cancel cancels {@code raw} and releases what is held: up to a signed chunk, or the last piece. An error
     * of {@code raw} is passed on as it is.
     *
     * @param raw the body as it is on the wire, without HTTP's own chunking; each piece is released here or handed on
     */
    public Flux<ByteBuf> decode(Flux<ByteBuf> raw) {
        return Flux.defer(() -> taken.compareAndSet(false, true)
                ? new DecodedFlux(raw, decoder, () -> verified = true)
                : Flux.error(new IllegalStateException("a body can be read once")));
    }

    /**
     * The trailer's checksum in Base64, which has been verified then.
     *
     * @throws IllegalStateException before the last piece has been handed out, or if no trailer was announced
     */
    public String trailerValue() {
        String value = verified ? trailer.value() : null;
        if (value == null) {
            throw new IllegalStateException("the trailer has not come");
        }
        return value;
    }

    /** What {@link #decode} drives. */
    PayloadDecoder decoder() {
        return decoder;
    }

    private Optional<ChecksumAlgorithm> trailing() {
        return checksum.filter(announced -> announced.value().isEmpty()).map(AnnouncedChecksum::algorithm);
    }

    private BodyDigests checks(PayloadType form, PayloadHeaders headers) throws AuthException {
        BodyDigests checks = new BodyDigests();
        if (form instanceof PayloadType.Sha256 hash) {
            checks.expectSha256(hash.hex());
        }
        String md5 = headers.find(PayloadHeaders.MD5);
        if (md5 != null) {
            checks.expectMd5(Base64Digest.decode(md5, MD5_LENGTH)
                    .orElseThrow(() -> new AuthException(
                            Code.INVALID_DIGEST,
                            "The Content-Md5 you specified is not valid.",
                            Map.of("Content-MD5", md5))));
        }
        checksum.ifPresent(checks::expect);
        return checks;
    }

    private AwsChunkedBody chunked(DecodedBuffer decoded, @Nullable ChunkSignatureChain chain, PayloadLimits limits) {
        ChunkContentHandler content = chain == null
                ? new UnsignedChunks(decoded)
                : new SignedChunks(decoded, chain, limits.longestSignedChunk());
        return new AwsChunkedBody(decoded, content, trailer, chain != null);
    }

    private static PayloadType unsignedForm(PayloadHeaders headers) throws AuthException {
        String stated = headers.find(CONTENT_HASH);
        PayloadType form = stated == null
                ? PayloadType.UNSIGNED
                : PayloadType.parse(stated)
                        .orElseThrow(
                                () -> new AuthException(Code.INVALID_ARGUMENT, CONTENT_HASH + " is not a known one."));
        if (form instanceof PayloadType.SignedChunks) {
            throw new AuthException(
                    Code.ACCESS_DENIED, "The body announces signed chunks, but the request is unsigned.");
        }
        return form;
    }

    private static Optional<String> withoutAwsChunked(PayloadHeaders headers) {
        List<String> kept = headers.items(CONTENT_ENCODING).stream()
                .filter(item -> !item.isEmpty() && !item.equalsIgnoreCase(AWS_CHUNKED))
                .toList();
        return kept.isEmpty() ? Optional.empty() : Optional.of(String.join(",", kept));
    }
}
