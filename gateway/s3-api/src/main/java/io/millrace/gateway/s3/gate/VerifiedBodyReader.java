package io.millrace.gateway.s3.gate;

import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.Sha256;
import io.millrace.auth.signature.PayloadHeaders;
import io.millrace.auth.signature.PayloadLimits;
import io.millrace.auth.signature.PayloadVerifier;
import io.millrace.backend.spi.UploadBody;
import io.millrace.gateway.error.S3Exception;
import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Decodes and verifies the bodies of requests and forms while they are received. */
final class VerifiedBodyReader {
    private VerifiedBodyReader() {}

    /**
     * Returns the body. Its last buffer is replaced by an {@link S3Exception} if length, hash or checksum do not match.
     *
     * @throws S3Exception if the headers about the body are invalid
     */
    static UploadBody read(Authentication authentication, PayloadHeaders said, Flux<ByteBuf> raw) {
        try {
            UploadBody body = PayloadVerifier.of(authentication, said, PayloadLimits.defaults())
                    .body(raw);
            return new UploadBody(
                    body.length(),
                    body.pieces().onErrorMap(RequestVerificationException.class, SignatureErrorMapper::toS3),
                    body.trailer());
        } catch (RequestVerificationException contradiction) {
            throw SignatureErrorMapper.toS3(contradiction);
        }
    }

    /**
     * Rejects a request without a body if its sender signed the hash of a body.
     *
     * @throws S3Exception XAmzContentSHA256Mismatch
     */
    static void requireOfNone(Authentication authentication) {
        boolean another = authentication instanceof Authentication.Signed signed
                && signed.payload() instanceof PayloadType.Sha256 hash
                && !hash.hex().equals(Sha256.OF_NOTHING);
        if (another) {
            throw new S3Exception(
                    400,
                    "XAmzContentSHA256Mismatch",
                    "The request has no body, and x-amz-content-sha256 is of another one.");
        }
    }

    /** Returns the body at once, but an empty one only after its end is verified. */
    static Mono<UploadBody> verified(UploadBody body) {
        return body.length() > 0
                ? Mono.just(body)
                : body.pieces().then(Mono.fromSupplier(() -> new UploadBody(0, Flux.empty(), body.trailer())));
    }
}
