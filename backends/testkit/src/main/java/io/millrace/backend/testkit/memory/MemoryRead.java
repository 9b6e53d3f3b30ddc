package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ReadConditions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;

/** The metadata and byte range that answer a read request, resolved before any byte is sent. */
record MemoryRead(MemoryObject object, ObjectHead head, Optional<ByteRange> range) {
    private static final int PIECE = 64 << 10;

    /**
     * Resolves a read request; the required version is checked first, because conditions and ranges of another version
     * mean nothing.
     *
     * @throws BackendException as {@link io.millrace.backend.spi.ObjectReader} specifies
     */
    static MemoryRead of(ReadRequest request, MemoryObject object, Set<Capability> capabilities) {
        ObjectHead head = object.head();
        request.requiredVersion().filter(pin -> !pin.equals(head.version())).ifPresent(pin -> {
            throw new BackendException(FailureKind.VERSION_CHANGED, request.object() + " is not " + pin);
        });
        check(request.conditions(), head);
        Optional<ByteRange> range = range(request.selection(), object, capabilities);
        boolean checksums = request.checksums() && range.isEmpty() && capabilities.contains(Capability.CHECKSUMS);
        return new MemoryRead(object, checksums ? head : withoutChecksums(head), range);
    }

    HeadResult toHead() {
        return new HeadResult(head, range);
    }

    ObjectContent toContent() {
        long first = range.map(ByteRange::first).orElse(0L);
        long end = range.map(r -> r.last() + 1).orElse(head.size());
        return new ObjectContent(
                head, range, Flux.generate(() -> first, (at, sink) -> piece(object.bytes(), at, end, sink)));
    }

    private static void check(ReadConditions conditions, ObjectHead head) {
        switch (conditions.evaluate(head.eTag(), head.lastModified())) {
            case PROCEED -> {}
            case FAILED -> throw new BackendException(FailureKind.PRECONDITION_FAILED, "a precondition does not hold");
            case NOT_MODIFIED ->
                throw new BackendException(FailureKind.NOT_MODIFIED, "not modified")
                        .withHeaders(HeaderList.EMPTY.with(
                                "etag", head.eTag().orElseThrow().toString()));
        }
    }

    private static Optional<ByteRange> range(
            ByteSelection selection, MemoryObject object, Set<Capability> capabilities) {
        if (selection instanceof ByteSelection.RangeSelection range) {
            long size = object.head().size();
            return Optional.of(range.spec()
                    .resolve(size)
                    .orElseThrow(
                            () -> new BackendException(FailureKind.INVALID_RANGE, range.spec() + " selects nothing")
                                    .withObjectSize(size)));
        }
        if (selection instanceof ByteSelection.PartSelection part) {
            return part(part.number(), object, capabilities);
        }
        return Optional.empty();
    }

    private static Optional<ByteRange> part(int number, MemoryObject object, Set<Capability> capabilities) {
        boolean known = capabilities.contains(Capability.PARTS);
        Optional<ByteRange> range =
                known ? object.part(number) : whole(number, object.head().size());
        if (range.isEmpty() && (number != 1 || object.head().size() != 0)) {
            throw new BackendException(FailureKind.INVALID_PART, "no part " + number);
        }
        return range;
    }

    private static Optional<ByteRange> whole(int number, long size) {
        return number == 1 && size > 0 ? Optional.of(new ByteRange(0, size - 1)) : Optional.empty();
    }

    private static ObjectHead withoutChecksums(ObjectHead head) {
        HeaderList kept = new HeaderList(head.headers().fields().stream()
                .filter(field -> !field.name().startsWith("x-amz-checksum-"))
                .toList());
        return new ObjectHead(head.version(), head.eTag(), head.lastModified(), kept);
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
