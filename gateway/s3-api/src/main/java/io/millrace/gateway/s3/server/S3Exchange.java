package io.millrace.gateway.s3.server;

import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestBody;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.S3Response;
import java.util.Optional;
import java.util.concurrent.Executor;
import reactor.core.publisher.Mono;

/**
 * One request and the way to answer it: all that is known of the socket below. Another HTTP server could take Reactor
 * Netty's place by implementing this.
 */
interface S3Exchange {
    /** Ours, for the answer and the log. */
    String requestId();

    String method();

    /** The target of the request line as it came, one char a byte; never decoded. */
    String rawTarget();

    RequestHeaders headers();

    /** Why the request is no HTTP, if it is none; the other fields say nothing then. */
    Optional<S3Exception> refusal();

    /** The address of the client, for the log. */
    String peer();

    /** What follows the head. Fails with {@link ClientDisconnectedException} if the client leaves in the middle of it. */
    RequestBody body();

    /**
     * Sends the answer; once. Completes when the socket has taken all of it. Fails if the client left
     * ({@link ClientDisconnectedException}) or the body broke off; the connection is closed then. Cancelling gives up the body.
     */
    Mono<Void> send(S3Response answer);

    /** What has been sent so far. */
    Progress progress();

    /** The one thread that writes to this client; a step of that thread is run at once. */
    Executor loop();

    /** How far an answer has come. Written on the event loop, read when it has ended. */
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

        /** 0 until a head was sent. */
        int status() {
            return status;
        }

        /** Bytes of the body that the socket has taken. */
        long bytes() {
            return bytes;
        }

        /** By {@link System#nanoTime}; 0 until there was one. */
        long firstByteAt() {
            return firstByteAt;
        }
    }
}
