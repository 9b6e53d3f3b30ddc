package io.millrace.gateway.fuzz;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;
import java.util.regex.Pattern;
import reactor.core.publisher.Flux;

/** Objects whose keys say how long they are, up to 2^63-1 bytes; where each byte stands says which it is. */
final class ComputedContent {
    static final ETag TAG = ETag.strong("tag");

    private static final Pattern SIZE = Pattern.compile("[0-9]{1,18}");
    private static final int PIECE = 512;

    private ComputedContent() {}

    static HeadResult head(ReadRequest request) {
        long size = size(request.object().key().value());
        ObjectHead head = new ObjectHead(
                ObjectVersion.ofETag(Optional.of(TAG), size, Optional.empty()),
                Optional.of(TAG),
                Optional.of(FuzzedGateway.NOW),
                HeaderList.EMPTY.with("content-type", "text/plain"));
        switch (request.conditions().evaluate(head.eTag(), head.lastModified())) {
            case PROCEED -> {}
            case NOT_MODIFIED -> throw new BackendException(FailureKind.NOT_MODIFIED, "not modified");
            case FAILED -> throw new BackendException(FailureKind.PRECONDITION_FAILED, "failed");
        }
        return new HeadResult(head, range(request, size));
    }

    /** Pieces are of {@code allocator}. */
    static ObjectContent of(ReadRequest request, ByteBufAllocator allocator) {
        HeadResult found = head(request);
        long first = found.range().map(ByteRange::first).orElse(0L);
        long length = found.length();
        Flux<ByteBuf> pieces = Flux.generate(() -> 0L, (sent, sink) -> {
            if (sent == length) {
                sink.complete();
                return sent;
            }
            int next = (int) Math.min(PIECE, length - sent);
            sink.next(piece(allocator, first + sent, next));
            return sent + next;
        });
        return new ObjectContent(found.head(), found.range(), pieces);
    }

    static long size(String key) {
        return SIZE.matcher(key).matches() ? Long.parseLong(key) : 100;
    }

    static byte byteAt(long offset) {
        return (byte) (offset * 31 + (offset >> 8));
    }

    private static Optional<ByteRange> range(ReadRequest request, long size) {
        if (!(request.selection() instanceof ByteSelection.RangeSelection range)) {
            return Optional.empty();
        }
        Optional<ByteRange> bytes = range.spec().resolve(size);
        if (bytes.isEmpty()) {
            throw new BackendException(FailureKind.INVALID_RANGE, "beyond the end").withObjectSize(size);
        }
        return bytes;
    }

    private static ByteBuf piece(ByteBufAllocator allocator, long from, int length) {
        ByteBuf piece = allocator.heapBuffer(length);
        for (int i = 0; i < length; i++) {
            piece.writeByte(byteAt(from + i));
        }
        return piece;
    }
}
