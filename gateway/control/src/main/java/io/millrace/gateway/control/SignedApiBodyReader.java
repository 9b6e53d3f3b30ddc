package io.millrace.gateway.control;

import io.millrace.auth.PayloadType;
import io.millrace.auth.Sha256;
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

/**
 * Reads the bytes of an API request's body, up to a size limit, and compares them with the hash that the request
 * signed.
 *
 * @param timeout time limit for the whole body: a megabyte takes less, even over a slow line
 * @param limiter limits the bodies that are received at the same time
 */
record SignedApiBodyReader(Duration timeout, ConcurrencyLimiter limiter) {
    /** Enough for 10,000 keys of a hundred characters. */
    static final int MAX_BYTES = 1024 * 1024;

    private static final byte[] NOTHING = {};

    /**
     * Returns the body; an empty array if there is none.
     *
     * @param caller has the signed payload hash; a token has none
     */
    Mono<byte[]> read(ServerHttpRequest request, AuthenticatedCaller caller) {
        Optional<PayloadType> signed = caller.payload();
        signed.ifPresent(SignedApiBodyReader::requireSupported);
        if (request.getHeaders().getContentLength() > MAX_BYTES) {
            return Mono.error(tooLarge(request));
        }
        Mono<byte[]> body = readAll(request, signed);
        return hasBody(request.getHeaders()) ? limiter.limit(caller.principal(), body) : body;
    }

    private static boolean hasBody(HttpHeaders headers) {
        return headers.getContentLength() > 0 || headers.containsHeader(HttpHeaders.TRANSFER_ENCODING);
    }

    private Mono<byte[]> readAll(ServerHttpRequest request, Optional<PayloadType> signed) {
        return DataBufferUtils.join(request.getBody(), MAX_BYTES)
                .map(SignedApiBodyReader::bytes)
                .defaultIfEmpty(NOTHING)
                .timeout(timeout)
                .onErrorMap(DataBufferLimitException.class, tooLong -> tooLarge(request))
                .onErrorMap(
                        TimeoutException.class,
                        slow -> ApiException.of(HttpStatus.REQUEST_TIMEOUT, "The body took too long to come."))
                .doOnNext(body -> signed.ifPresent(form -> requireMatchingHash(form, body)));
    }

    private static void requireSupported(PayloadType form) {
        if (form instanceof PayloadType.SignedChunks || form instanceof PayloadType.UnsignedChunksWithTrailer) {
            throw ApiException.of(
                    HttpStatus.BAD_REQUEST, "Send the body in one piece, and its SHA-256 in x-amz-content-sha256.");
        }
    }

    private static void requireMatchingHash(PayloadType form, byte[] body) {
        if (form instanceof PayloadType.Sha256 stated) {
            if (!stated.hex().equals(Sha256.hex(body))) {
                throw ApiException.of(
                        HttpStatus.BAD_REQUEST, "The body does not have the SHA-256 that x-amz-content-sha256 states.");
            }
        } else if (body.length > 0) {
            throw ApiException.of(
                    HttpStatus.BAD_REQUEST,
                    "The signature does not cover the body: state its SHA-256 in x-amz-content-sha256, or send a"
                            + " token.");
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
                                MAX_BYTES,
                                job ? "list many keys in an object, and name it as manifest" : "send less at a time"));
    }
}
