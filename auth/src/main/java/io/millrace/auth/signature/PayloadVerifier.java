package io.millrace.auth.signature;

import io.millrace.auth.Authentication;
import io.millrace.auth.ChunkSignatureSeed;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Decodes and verifies the body of one write request according to its headers: chunk framing, length, signatures and
 * checksum. It is created before the first byte of the body, so that contradictory headers are refused without reading
 * the body.
 *
 * <p>If a body is invalid (cut short, too long, badly framed, wrong signature or checksum), the decoded pieces end with
 * a {@link RequestVerificationException} before the piece with the last byte. No byte of a signed chunk is emitted
 * before its signature is verified. An empty body is verified as well, so wait for its completion before acting on it.
 *
 * <p>A body without a stated hash, whose signature is over an empty body ({@link PayloadType#UNSTATED}), is read as
 * unsigned: curl 7.88 uploads this way. Thread-safe; for one body.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">Chunked upload</a>
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html">Trailing headers</a>
 */
public final class PayloadVerifier {
    private static final String CONTENT_HASH = "x-amz-content-sha256";
    private static final int MD5_LENGTH = 16;

    private final long length;
    private final Optional<AnnouncedChecksum> checksum;
    private final VerifyingBodyDecoder decoder;
    private final TrailerReader trailer;
    private final AtomicBoolean taken = new AtomicBoolean();
    private volatile boolean verified;

    private PayloadVerifier(
            PayloadType form, @Nullable ChunkSignatureSeed seed, PayloadHeaders headers, PayloadLimits limits)
            throws RequestVerificationException {
        boolean signedTrailer = form instanceof PayloadType.SignedChunks chunks && chunks.trailer();
        boolean unsignedChunks = form instanceof PayloadType.UnsignedChunksWithTrailer;
        boolean chunked = seed != null || unsignedChunks;
        this.length = PayloadLength.of(headers, chunked, limits.longest());
        this.checksum = AnnouncedChecksum.of(headers, signedTrailer || unsignedChunks);
        if (signedTrailer && trailing().isEmpty()) {
            throw PayloadErrors.malformedTrailer();
        }
        BodyDigestVerifier checks = checks(form, headers);
        WithholdingBodyQueue decoded = new WithholdingBodyQueue(length, checks);
        ChunkSignatureChain chain = seed == null ? null : new ChunkSignatureChain(seed);
        this.trailer = new TrailerReader(trailing().orElse(null), chain, checks);
        this.decoder = new VerifyingBodyDecoder(
                chunked ? chunked(decoded, chain, limits) : new PlainBodyDecoder(decoded), decoded);
    }

    /**
     * Creates a reader for the body of the request that {@code authentication} authenticates.
     *
     * @throws RequestVerificationException if the headers are invalid, contradict each other, state no length, or
     *     exceed {@code limits}
     */
    public static PayloadVerifier of(Authentication authentication, PayloadHeaders headers, PayloadLimits limits)
            throws RequestVerificationException {
        if (authentication instanceof Authentication.Signed signed) {
            return new PayloadVerifier(signed.payload(), signed.chunkSeed().orElse(null), headers, limits);
        }
        return new PayloadVerifier(unsignedForm(headers), null, headers, limits);
    }

    /** Returns the decoded length in bytes. */
    public long length() {
        return length;
    }

    /** Returns the algorithm of the checksum announced in a header or for the trailer. */
    public Optional<ChecksumAlgorithm> checksum() {
        return checksum.map(AnnouncedChecksum::algorithm);
    }

    /**
     * Returns the decoded body as an upload to a backend, with the announced trailer.
     *
     * @param raw as in {@link #decode}
     */
    public UploadBody body(Flux<ByteBuf> raw) {
        Optional<UploadBody.Trailer> announced =
                trailing().map(algorithm -> new UploadBody.Trailer(algorithm.headerName(), this::trailerValue));
        return new UploadBody(length, decode(raw), announced);
    }

    /**
     * Returns the decoded pieces of the body, {@link #length} bytes in all, none of them empty. It can be subscribed to
     * once, and the subscriber releases each piece. It requests one piece of {@code raw} at a time, when there is
     * demand and no decoded piece is ready.
     *
     * <p>An error or a cancellation cancels {@code raw} and releases the held buffers: up to a signed chunk, or the
     * last piece. An error of {@code raw} is passed on unchanged.
     *
     * @param raw the body as sent, without HTTP's own chunking; each piece is released here or passed on
     */
    public Flux<ByteBuf> decode(Flux<ByteBuf> raw) {
        return Flux.defer(() -> taken.compareAndSet(false, true)
                ? new DecodedFlux(raw, decoder, () -> verified = true)
                : Flux.error(new IllegalStateException("a body can be read once")));
    }

    /**
     * Returns the trailer's checksum in Base64, after verification.
     *
     * @throws IllegalStateException before the last piece has been emitted, or if no trailer was announced
     */
    public String trailerValue() {
        String value = verified ? trailer.value() : null;
        if (value == null) {
            throw new IllegalStateException("the trailer has not arrived");
        }
        return value;
    }

    /** Returns the decoder that {@link #decode} uses. */
    VerifyingBodyDecoder decoder() {
        return decoder;
    }

    private Optional<ChecksumAlgorithm> trailing() {
        return checksum.filter(announced -> announced.value().isEmpty()).map(AnnouncedChecksum::algorithm);
    }

    private BodyDigestVerifier checks(PayloadType form, PayloadHeaders headers) throws RequestVerificationException {
        BodyDigestVerifier checks = new BodyDigestVerifier();
        if (form instanceof PayloadType.Sha256 hash) {
            checks.expectSha256(hash.hex());
        }
        String md5 = headers.find(PayloadHeaders.MD5);
        if (md5 != null) {
            checks.expectMd5(Base64Digest.decode(md5, MD5_LENGTH)
                    .orElseThrow(() -> new RequestVerificationException(
                            Code.INVALID_DIGEST,
                            "The Content-Md5 you specified is not valid.",
                            Map.of("Content-MD5", md5))));
        }
        checksum.ifPresent(checks::expect);
        return checks;
    }

    private AwsChunkedBodyDecoder chunked(
            WithholdingBodyQueue decoded, @Nullable ChunkSignatureChain chain, PayloadLimits limits) {
        ChunkContentHandler content = chain == null
                ? new UnsignedChunkHandler(decoded)
                : new SignedChunkBuffer(decoded, chain, limits.longestSignedChunk());
        return new AwsChunkedBodyDecoder(decoded, content, trailer, chain != null);
    }

    private static PayloadType unsignedForm(PayloadHeaders headers) throws RequestVerificationException {
        String stated = headers.find(CONTENT_HASH);
        PayloadType form = stated == null
                ? PayloadType.UNSIGNED
                : PayloadType.parse(stated)
                        .orElseThrow(() -> new RequestVerificationException(
                                Code.INVALID_ARGUMENT, CONTENT_HASH + " is not a known one."));
        if (form instanceof PayloadType.SignedChunks) {
            throw new RequestVerificationException(
                    Code.ACCESS_DENIED, "The body announces signed chunks, but the request is unsigned.");
        }
        return form;
    }
}
