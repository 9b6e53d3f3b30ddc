package io.millrace.auth.payload;

import io.millrace.auth.AuthException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What has been decoded of a body. It counts, digests and queues; the piece that has the last byte it keeps back until the
 * body is over and right, so that whoever gets the pieces never has the whole of a wrong one. For one thread at a time.
 */
final class DecodedBuffer {
    private final long length;
    private final BodyDigests checks;
    private final Queue<ByteBuf> ready = new ArrayDeque<>();
    private @Nullable ByteBuf last;
    private long arrived;
    private long queued;

    DecodedBuffer(long length, BodyDigests checks) {
        this.length = length;
        this.checks = checks;
    }

    /** How many bytes are still to arrive. */
    long missing() {
        return length - arrived;
    }

    /** Counts and digests bytes that are {@link #add added} now or later. Neither indices nor ownership change. */
    void arrived(ByteBuf bytes) throws AuthException {
        arrived += bytes.readableBytes();
        if (arrived > length) {
            throw PayloadErrors.wrongLength();
        }
        checks.update(bytes);
    }

    /** Hands on a piece of what has arrived, in order; owns it from here on. */
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

    /** Verifies the body, which is over, and lets go of its last piece. */
    void end() throws AuthException {
        if (missing() != 0) {
            throw PayloadErrors.wrongLength();
        }
        checks.verify();
        if (last != null) {
            ready.add(last);
            last = null;
        }
    }

    /** The next piece, which the caller owns; null if there is none yet. */
    @Nullable ByteBuf poll() {
        return ready.poll();
    }

    boolean isEmpty() {
        return ready.isEmpty();
    }

    /** Releases what nobody has polled. */
    void release() {
        ready.forEach(ByteBuf::release);
        ready.clear();
        if (last != null) {
            last.release();
            last = null;
        }
    }
}
