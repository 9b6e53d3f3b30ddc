package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Set;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;

/** The result of a read of an object in memory, decided before any byte is sent. */
record MemoryRead(MemoryObject object, HeadResult result) {
    private static final int PIECE = 64 << 10;

    /**
     * Decides on a read request. A part or range has no checksums, which are of the whole object.
     *
     * @throws BackendException as {@link io.millrace.backend.spi.ObjectReader} specifies
     */
    static MemoryRead of(ReadRequest request, MemoryObject object, Set<Capability> capabilities) {
        HeadResult found = capabilities.contains(Capability.PARTS)
                ? ReadDecision.of(request, object.head(), object::part)
                : ReadDecision.of(request, object.head());
        boolean checksums = found.range().isEmpty() && capabilities.contains(Capability.CHECKSUMS);
        return new MemoryRead(
                object, checksums ? found : new HeadResult(found.head().withoutChecksums(), found.range()));
    }

    ObjectContent toContent() {
        long first = result.range().map(ByteRange::first).orElse(0L);
        long end = first + result.length();
        return new ObjectContent(
                result.head(),
                result.range(),
                Flux.generate(() -> first, (at, sink) -> piece(object.bytes(), at, end, sink)));
    }

    private static long piece(byte[] bytes, long at, long end, SynchronousSink<ByteBuf> sink) {
        int length = (int) Math.min(PIECE, end - at);
        if (length == 0) {
            sink.complete();
            return at;
        }
        sink.next(ByteBufAllocator.DEFAULT.buffer(length).writeBytes(bytes, (int) at, length));
        return at + length;
    }
}
