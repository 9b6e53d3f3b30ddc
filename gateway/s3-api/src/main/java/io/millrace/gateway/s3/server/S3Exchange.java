package io.millrace.gateway.s3.server;

import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestBody;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.S3Response;
import java.util.Optional;
import java.util.concurrent.Executor;
import reactor.core.publisher.Mono;

/**
 * One HTTP request and the means to respond to it. The rest of the data plane sees no more of the socket, so another
 * HTTP server could replace Reactor Netty by implementing this.
 */
interface S3Exchange {
    /** Returns the id that the gateway assigned, for the response and the log. */
    String requestId();

    String method();

    /** Returns the undecoded target of the request line, one char per byte. */
    String rawTarget();

    RequestHeaders headers();

    /** Returns the error of a request that is not valid HTTP; its other properties mean nothing then. */
    Optional<S3Exception> refusal();

    /** Returns the address of the client, for the log. */
    String peer();

    /**
     * Returns the body. Fails with {@link ClientDisconnectedException} if the client disconnects in the middle of it.
     */
    RequestBody body();

    /**
     * Sends the response; to be called once. Completes after the socket has taken all of it. If the client disconnected
     * ({@link ClientDisconnectedException}) or the body broke off, it fails and closes the connection. Cancellation
     * discards the body.
     */
    Mono<Void> send(S3Response response);

    /** Returns the progress of the response. */
    Progress progress();

    /** Returns the event loop of the connection; a step that is submitted on it runs at once. */
    Executor loop();

    /** The progress of a response. Written on the event loop, read after the end. */
    final class Progress {
        private volatile int status;
        private volatile long bytes;
        private volatile long firstByteAt;

        void head(int sentStatus) {
            status = sentStatus;
        }

        void firstByte() {
            firstByteAt = System.nanoTime();
        }

        void sent(long more) {
            long sum = bytes + more;
            bytes = sum;
        }

        /** Returns the status; 0 before the headers are sent. */
        int status() {
            return status;
        }

        /** Returns the number of body bytes that the socket has taken. */
        long bytes() {
            return bytes;
        }

        /** Returns the time of the first byte by {@link System#nanoTime}; 0 before it. */
        long firstByteAt() {
            return firstByteAt;
        }
    }
}
