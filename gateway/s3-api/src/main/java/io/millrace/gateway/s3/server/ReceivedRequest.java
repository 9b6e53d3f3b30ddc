package io.millrace.gateway.s3.server;

import io.millrace.auth.policy.RequestSource;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.millrace.gateway.tls.TlsPipeline;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.Optional;

/** An HTTP request as received, with the progress of its response. The data plane sees no more of it. */
interface ReceivedRequest {
    /** Returns the id that the gateway assigned, for the response and the log. */
    String requestId();

    String method();

    /** Returns the undecoded target of the request line, one char per byte. */
    String rawTarget();

    RequestHeaders headers();

    /** Returns the error of a request that is not valid HTTP; its other properties mean nothing then. */
    Optional<S3Exception> refusal();

    /** Returns the connection that it came from. */
    RequestSource source();

    /** Returns the source of what is received on a channel. */
    static RequestSource sourceOf(Channel channel) {
        return new RequestSource(
                channel.remoteAddress() instanceof InetSocketAddress peer ? peer.getAddress() : null,
                TlsPipeline.isEncrypted(channel));
    }

    /** Returns the address of the client, for the log. */
    String peer();

    /**
     * Returns the body. Fails with {@link ClientDisconnectedException} if the client disconnects in the middle of it.
     */
    UnverifiedRequestBody body();

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
