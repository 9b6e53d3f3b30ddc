package io.millrace.backend.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;

/** Pieces of a body, and how many of their bytes were handed over and not yet released, at the most. */
final class InFlight {
    private final Flux<ByteBuf> pieces;
    private final AtomicLong most = new AtomicLong();

    InFlight(Flux<ByteBuf> pieces) {
        this.pieces = pieces;
    }

    Flux<ByteBuf> pieces() {
        return Flux.defer(() -> {
            Queue<Held> held = new ArrayDeque<>();
            return pieces.map(piece -> {
                // A pooled buffer that was released comes back as another one; these do not.
                ByteBuf copy = Unpooled.wrappedBuffer(ContractCases.takeBytes(piece));
                held.removeIf(earlier -> earlier.piece().refCnt() == 0);
                held.add(new Held(copy, copy.readableBytes()));
                most.accumulateAndGet(held.stream().mapToLong(Held::bytes).sum(), Math::max);
                return copy;
            });
        });
    }

    long most() {
        return most.get();
    }

    private record Held(ByteBuf piece, int bytes) {}
}
