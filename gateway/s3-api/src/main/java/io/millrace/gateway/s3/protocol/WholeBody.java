package io.millrace.gateway.s3.protocol;

import io.millrace.kit.async.DiscardedBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Collector of a small body that is needed whole. */
public final class WholeBody {
    private WholeBody() {}

    /** The room for a body. */
    @FunctionalInterface
    public interface Room {
        /**
         * Takes room for a piece before it is copied; throws if there is none.
         *
         * @param held the bytes before it
         */
        void take(int held, int more);
    }

    /**
     * Reads all pieces.
     *
     * @param likely the likely length: a client may announce more than it sends
     * @param late what it fails with if they take longer than {@code longest}
     */
    public static Mono<byte[]> read(
            Flux<ByteBuf> pieces, int likely, Room room, Duration longest, Supplier<? extends RuntimeException> late) {
        return pieces.reduceWith(() -> Unpooled.buffer(likely), (all, piece) -> append(all, piece, room))
                // One that comes while another thread cancels.
                .contextWrite(DiscardedBuffers.RELEASED)
                .map(ByteBufUtil::getBytes)
                .timeout(longest, Mono.error(late));
    }

    private static ByteBuf append(ByteBuf all, ByteBuf piece, Room room) {
        try {
            room.take(all.readableBytes(), piece.readableBytes());
            return all.writeBytes(piece);
        } finally {
            piece.release();
        }
    }
}
