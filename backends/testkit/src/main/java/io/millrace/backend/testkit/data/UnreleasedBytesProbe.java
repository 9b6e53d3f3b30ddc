package io.millrace.backend.testkit.data;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;

/** Measures the maximum of bytes of a body that were delivered and not yet released. */
public final class UnreleasedBytesProbe {
    private final Flux<ByteBuf> pieces;
    private final AtomicLong most = new AtomicLong();

    public UnreleasedBytesProbe(Flux<ByteBuf> pieces) {
        this.pieces = pieces;
    }

    public Flux<ByteBuf> pieces() {
        return Flux.defer(() -> {
            Queue<HeldBuffer> held = new ArrayDeque<>();
            return pieces.map(piece -> {
                // A pooled buffer that was released comes back as another one; these do not.
                ByteBuf copy = Unpooled.wrappedBuffer(UploadBodies.takeBytes(piece));
                held.removeIf(earlier -> earlier.piece().refCnt() == 0);
                held.add(new HeldBuffer(copy, copy.readableBytes()));
                most.accumulateAndGet(held.stream().mapToLong(HeldBuffer::bytes).sum(), Math::max);
                return copy;
            });
        });
    }

    public long maxBytes() {
        return most.get();
    }

    private record HeldBuffer(ByteBuf piece, int bytes) {}
}
