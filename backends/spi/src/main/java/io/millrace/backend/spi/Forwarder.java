package io.millrace.backend.spi;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import reactor.core.publisher.Flux;
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
     * @param repeatable whether it may be sent again if its method is idempotent; what nobody knows may not be
     */
    record Forwarded(
            String method,
            BucketName bucket,
            Optional<ObjectKey> key,
            List<Parameter> query,
            HeaderList headers,
            ByteBuffer body,
            boolean repeatable) {
        public Forwarded {
            query = List.copyOf(query);
        }

        /** A request that means what its method says. */
        public Forwarded(
                String method,
                BucketName bucket,
                Optional<ObjectKey> key,
                List<Parameter> query,
                HeaderList headers,
                ByteBuffer body) {
            this(method, bucket, key, query, headers, body, true);
        }
    }

    /**
     * The backend's answer.
     *
     * @param headers {@code x-amz-*} but ids and dates of the transport, {@code content-type}, {@code etag},
     *     {@code last-modified}
     */
    record ForwardAnswer(int status, HeaderList headers, ByteBuffer body) {}

    /**
     * The backend's answer to a read, whose body is on its way. The rules of {@link ObjectContent} hold for that.
     *
     * @param headers as of {@link ForwardAnswer}, and those that describe the body
     * @param length of the body, or of what a GET would bring; empty if the backend does not say
     */
    record ForwardStream(int status, HeaderList headers, OptionalLong length, Flux<ByteBuf> body) {
        /** Gives the body up unread and frees what is behind it. */
        public void discard() {
            ObjectContent.giveUp(body);
        }
    }

    /** Sends it, and again only if it is {@linkplain Forwarded#repeatable repeatable} and its method is idempotent. An error of the backend's is a {@link BackendException}. */
    default Mono<ForwardAnswer> forward(Forwarded request) {
        return Refusals.refuse("forward");
    }

    /** Sends a GET or HEAD without a body; its answer may be as long as it likes. Fails as {@link #forward} does. */
    default Mono<ForwardStream> forwardRead(Forwarded request) {
        return Refusals.refuse("forward");
    }

    /** Sends {@code body} behind a request that has none of its own, once. Fails as {@link #forward} does, and as the body does. */
    default Mono<ForwardAnswer> forwardWrite(Forwarded request, UploadBody body) {
        return Refusals.refuse("forward");
    }
}
