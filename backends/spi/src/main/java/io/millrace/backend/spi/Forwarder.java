package io.millrace.backend.spi;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Passes on what the gateway does not speak itself, with {@link Capability#FORWARD}: small requests about a bucket or an object,
 * signed with the backend's own credentials.
 */
public interface Forwarder {
    /** The most that an answer's body may have. */
    int MAX_ANSWER_BYTES = 8 << 20;

    /** A parameter of the query, decoded. */
    record Parameter(String name, String value) {}

    /**
     * A request, under the backend's own names.
     *
     * @param method in upper case
     * @param key empty if it is about the bucket
     * @param headers under S3's names, all of them meant for the backend
     * @param body may be empty
     */
    record Forwarded(
            String method,
            BucketName bucket,
            Optional<ObjectKey> key,
            List<Parameter> query,
            HeaderList headers,
            ByteBuffer body) {
        public Forwarded {
            query = List.copyOf(query);
        }
    }

    /**
     * The backend's answer.
     *
     * @param headers {@code x-amz-*} but ids and dates of the transport, {@code content-type}, {@code etag},
     *     {@code last-modified}
     */
    record ForwardAnswer(int status, HeaderList headers, ByteBuffer body) {}

    /** Sends it, and again only if its method is idempotent. An error of the backend's is a {@link BackendException}. */
    default Mono<ForwardAnswer> forward(Forwarded request) {
        return Refusals.refuse("forward");
    }
}
