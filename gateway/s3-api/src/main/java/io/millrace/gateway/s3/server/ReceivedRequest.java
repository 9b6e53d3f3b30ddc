package io.millrace.gateway.s3.server;

import io.millrace.auth.policy.RequestSource;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import java.net.InetAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An HTTP request as received, with the progress of its response. The data plane sees no more of it. */
public interface ReceivedRequest {
    /** Returns the id that the gateway assigned, for the response and the log. */
    String requestId();

    String method();

    /** Returns the undecoded target of the request line, one char per byte. */
    String rawTarget();

    RequestHeaders headers();

    /** Returns the error of a request that is not valid HTTP; its other properties mean nothing then. */
    Optional<S3Exception> refusal();

    /** Returns where it came from: the client of a declared proxy, or the peer of the connection. */
    RequestSource source();

    /** Returns the address of the client, for the log. */
    default String peer() {
        @Nullable InetAddress address = source().address();
        return address == null ? "-" : address.getHostAddress();
    }

    /**
     * Returns the body. Fails with {@link ClientDisconnectedException} if the client disconnects in the middle of it.
     */
    UnverifiedRequestBody body();

    /** Returns what the gate said when the fast path asked it; null if it did not. */
    default S3Responder.@Nullable Admission admission() {
        return null;
    }

    /** Returns the progress of the response. */
    Progress progress();

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
