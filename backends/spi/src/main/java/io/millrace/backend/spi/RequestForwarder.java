package io.millrace.backend.spi;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Forwards S3 requests that the gateway does not implement itself, signed with the backend's credentials.
 * {@link Capability#TAGS}, {@link Capability#S3_CONFIGURATION}, {@link Capability#EXPECTED_OWNER} and {@link
 * Capability#S3_FORWARD} name the requests that a backend answers.
 */
public interface RequestForwarder {
    /** The largest response body that {@link #forward} accepts, in bytes. */
    int MAX_RESPONSE_BYTES = 8 << 20;

    /** A decoded query parameter. */
    record QueryParameter(String name, String value) {}

    /**
     * A request to forward, with the bucket and key names of the backend.
     *
     * @param method in upper case
     * @param key empty for a request to the bucket
     * @param headers S3 request headers, all of which are sent
     * @param body may be empty
     * @param repeatable whether it may be retried if its method is idempotent; false for an unknown operation
     */
    record ForwardRequest(
            String method,
            BucketName bucket,
            Optional<ObjectKey> key,
            List<QueryParameter> query,
            HeaderList headers,
            ByteBuffer body,
            boolean repeatable) {
        public ForwardRequest {
            query = List.copyOf(query);
        }

        /** A repeatable request. */
        public ForwardRequest(
                String method,
                BucketName bucket,
                Optional<ObjectKey> key,
                List<QueryParameter> query,
                HeaderList headers,
                ByteBuffer body) {
            this(method, bucket, key, query, headers, body, true);
        }
    }

    /**
     * A forwarded response with its whole body.
     *
     * @param headers {@code x-amz-*} except request ids and dates, {@code content-type}, {@code etag},
     *     {@code last-modified}
     */
    record ForwardResponse(int status, HeaderList headers, ByteBuffer body) {}

    /**
     * A forwarded response whose body is still streamed. The contract of {@link ObjectContent} holds for the body.
     *
     * @param headers those of {@link ForwardResponse}, and those that describe the body
     * @param length of the body in bytes, or of the body that a GET would return; empty if the backend does not say
     */
    record StreamingForwardResponse(int status, HeaderList headers, OptionalLong length, Flux<ByteBuf> body) {
        /** Cancels the unread body and releases its connection. */
        public void discard() {
            ObjectContent.cancelBody(body);
        }
    }

    /**
     * Sends a request. An error response is a {@link BackendException}.
     */
    default Mono<ForwardResponse> forward(ForwardRequest request) {
        return UnsupportedOperationErrors.error("forward");
    }

    /**
     * Sends a GET or HEAD without a body and streams the response, which may have any length. Fails as {@link #forward}
     * does.
     */
    default Mono<StreamingForwardResponse> forwardRead(ForwardRequest request) {
        return UnsupportedOperationErrors.error("forward");
    }

    /**
     * Sends a request with a streamed body once; {@code request.body} must be empty. Fails as {@link #forward} does, or
     * as the body does.
     */
    default Mono<ForwardResponse> forwardWrite(ForwardRequest request, UploadBody body) {
        return UnsupportedOperationErrors.error("forward");
    }
}
