package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Queue of the decoded pieces of a request body, which withholds the last piece until length and digests are verified.
 * So a consumer never gets all of an invalid body. For one thread at a time.
 */
final class WithholdingBodyQueue {
    private final long length;
    private final BodyDigestVerifier checks;
    private final Queue<ByteBuf> ready = new ArrayDeque<>();
    private @Nullable ByteBuf last;
    private long arrived;
    private long queued;

    WithholdingBodyQueue(long length, BodyDigestVerifier checks) {
        this.length = length;
        this.checks = checks;
    }

    /** Returns the number of bytes that have not arrived. */
    long missing() {
        return length - arrived;
    }

    /**
     * Counts and digests bytes that the caller {@link #add adds} now or later. Neither indices nor ownership change.
     */
    void arrived(ByteBuf bytes) throws RequestVerificationException {
        arrived += bytes.readableBytes();
        if (arrived > length) {
            throw PayloadErrors.wrongLength();
        }
        checks.update(bytes);
    }

    /** Queues the next piece of the bytes that have arrived, and takes ownership of it. */
    void add(ByteBuf piece) {
        if (!piece.isReadable()) {
            piece.release();
            return;
        }
        queued += piece.readableBytes();
        if (queued == length) {
            last = piece;
        } else {
            ready.add(piece);
        }
    }

    /** Verifies the complete body and queues its last piece. */
    void end() throws RequestVerificationException {
        if (missing() != 0) {
            throw PayloadErrors.wrongLength();
        }
        checks.verify();
        if (last != null) {
            ready.add(last);
            last = null;
        }
    }

    /** Returns the next piece, which the caller owns; null if none is ready. */
    @Nullable ByteBuf poll() {
        return ready.poll();
    }

    boolean isEmpty() {
        return ready.isEmpty();
    }

    /** Releases all pieces that were not polled. */
    void release() {
        ready.forEach(ByteBuf::release);
        ready.clear();
        if (last != null) {
            last.release();
            last = null;
        }
    }
}
