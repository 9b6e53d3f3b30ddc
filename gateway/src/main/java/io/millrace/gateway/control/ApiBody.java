package io.millrace.gateway.control;

import io.millrace.auth.PayloadForm;
import io.millrace.auth.sigv4.Sha256;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.core.publisher.Mono;

/** Reads the body of a request whole, within a bound, and holds it against what was signed of it. */
final class ApiBody {
    /** Some 10,000 keys of a hundred characters. */
    static final int MOST_BYTES = 1024 * 1024;

    private static final byte[] NOTHING = {};

    /** For all of it; a megabyte takes no longer over the slowest line. */
    private final Duration patience;

    private final FairShare share;

    /** @param share of the bodies that are on their way */
    ApiBody(Duration patience, FairShare share) {
        this.patience = patience;
        this.share = share;
    }

    /**
     * The body; nothing if there is none.
     *
     * @param caller with what the signature says of it; a token says nothing
     */
    Mono<byte[]> read(ServerHttpRequest request, Caller caller) {
        Optional<PayloadForm> signed = caller.payload();
        signed.ifPresent(ApiBody::requireServed);
        if (request.getHeaders().getContentLength() > MOST_BYTES) {
            return Mono.error(tooLarge(request));
        }
        Mono<byte[]> body = joined(request, signed);
        return isThere(request.getHeaders()) ? share.of(caller.who(), body) : body;
    }

    private static boolean isThere(HttpHeaders headers) {
        return headers.getContentLength() > 0 || headers.containsHeader(HttpHeaders.TRANSFER_ENCODING);
    }

    private Mono<byte[]> joined(ServerHttpRequest request, Optional<PayloadForm> signed) {
        return DataBufferUtils.join(request.getBody(), MOST_BYTES)
                .map(ApiBody::bytes)
                .defaultIfEmpty(NOTHING)
                .timeout(patience)
                .onErrorMap(DataBufferLimitException.class, tooLong -> tooLarge(request))
                .onErrorMap(
                        TimeoutException.class,
                        slow -> ApiException.of(HttpStatus.REQUEST_TIMEOUT, "The body took too long to come."))
                .doOnNext(body -> signed.ifPresent(form -> requireSigned(form, body)));
    }

    private static void requireServed(PayloadForm form) {
        if (form instanceof PayloadForm.SignedChunks || form instanceof PayloadForm.UnsignedChunksWithTrailer) {
            throw ApiException.of(
                    HttpStatus.BAD_REQUEST, "Send the body in one piece, and its SHA-256 in x-amz-content-sha256.");
        }
    }

    private static void requireSigned(PayloadForm form, byte[] body) {
        if (form instanceof PayloadForm.Sha256 stated) {
            if (!stated.hex().equals(Sha256.hex(body))) {
                throw ApiException.of(
                        HttpStatus.BAD_REQUEST, "The body does not have the SHA-256 that x-amz-content-sha256 states.");
            }
        } else if (body.length > 0) {
            throw ApiException.of(
                    HttpStatus.BAD_REQUEST,
                    "The signature does not cover the body: state its SHA-256 in x-amz-content-sha256, or send a token.");
        }
    }

    private static byte[] bytes(DataBuffer buffer) {
        byte[] bytes = new byte[buffer.readableByteCount()];
        buffer.read(bytes);
        DataBufferUtils.release(buffer);
        return bytes;
    }

    private static ApiException tooLarge(ServerHttpRequest request) {
        boolean job = JobsController.PATH.equals(request.getURI().getRawPath());
        return ApiException.of(
                HttpStatus.CONTENT_TOO_LARGE,
                "A body has %,d bytes at most: %s."
                        .formatted(
                                MOST_BYTES,
                                job ? "list many keys in an object, and name it as manifest" : "send less at a time"));
    }
}
