package io.millrace.gateway.s3.gate;

import io.millrace.auth.AuthException;
import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.auth.payload.PayloadHeaders;
import io.millrace.auth.payload.PayloadLimits;
import io.millrace.auth.payload.PayloadReader;
import io.millrace.auth.sigv4.Sha256;
import io.millrace.backend.spi.UploadBody;
import io.millrace.gateway.error.S3Exception;
import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Bodies of requests and forms, verified as they come. */
final class VerifiedBodyReader {
    private VerifiedBodyReader() {}

    /**
     * A body, whose pieces fail with an {@link S3Exception} before the last one if it is not what was said of it.
     *
     * @throws S3Exception if what was said of it cannot be
     */
    static UploadBody read(Authentication who, PayloadHeaders said, Flux<ByteBuf> raw) {
        try {
            UploadBody body =
                    PayloadReader.of(who, said, PayloadLimits.defaults()).body(raw);
            return new UploadBody(
                    body.length(),
                    body.pieces().onErrorMap(AuthException.class, SignatureErrors::toS3),
                    body.trailer());
        } catch (AuthException contradiction) {
            throw SignatureErrors.toS3(contradiction);
        }
    }

    /**
     * Refuses a request without a body whose sender signed one.
     *
     * @throws S3Exception XAmzContentSHA256Mismatch
     */
    static void requireOfNone(Authentication who) {
        boolean another = who instanceof Authentication.Signed signed
                && signed.payload() instanceof PayloadType.Sha256 hash
                && !hash.hex().equals(Sha256.OF_NOTHING);
        if (another) {
            throw new S3Exception(
                    400,
                    "XAmzContentSHA256Mismatch",
                    "The request has no body, and x-amz-content-sha256 is of another one.");
        }
    }

    /** The body at once; one without bytes when its end has been verified. */
    static Mono<UploadBody> verified(UploadBody body) {
        return body.length() > 0
                ? Mono.just(body)
                : body.pieces().then(Mono.fromSupplier(() -> new UploadBody(0, Flux.empty(), body.trailer())));
    }
}
