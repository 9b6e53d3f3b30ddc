package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.SelectedHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;

/** What a request selects of an object in memory, decided in full before a byte moves. */
record MemoryRead(StoredObject object, ObjectHead head, Optional<ByteRange> range) {
    private static final int PIECE = 64 << 10;

    /**
     * Pin first: an object of another version is no object to ask conditions or ranges of.
     *
     * @throws BackendException as {@link io.millrace.backend.spi.ObjectReader} says
     */
    static MemoryRead of(ReadRequest request, StoredObject object, Set<Capability> capabilities) {
        ObjectHead head = object.head();
        request.pin().filter(pin -> !pin.equals(head.version())).ifPresent(pin -> {
            throw new BackendException(Kind.VERSION_CHANGED, request.object() + " is not " + pin);
        });
        check(request.conditions(), head);
        Optional<ByteRange> range = range(request.selection(), object, capabilities);
        boolean checksums = request.checksums() && range.isEmpty() && capabilities.contains(Capability.CHECKSUMS);
        return new MemoryRead(object, checksums ? head : withoutChecksums(head), range);
    }

    SelectedHead toHead() {
        return new SelectedHead(head, range);
    }

    ObjectContent toContent() {
        long first = range.map(ByteRange::first).orElse(0L);
        long end = range.map(r -> r.last() + 1).orElse(head.size());
        return new ObjectContent(
                head, range, Flux.generate(() -> first, (at, sink) -> piece(object.bytes(), at, end, sink)));
    }

    private static void check(Conditions conditions, ObjectHead head) {
        switch (conditions.check(head.eTag(), head.lastModified())) {
            case PROCEED -> {}
            case FAILED -> throw new BackendException(Kind.PRECONDITION_FAILED, "a precondition does not hold");
            case NOT_MODIFIED ->
                throw new BackendException(Kind.NOT_MODIFIED, "not modified")
                        .withHeaders(HeaderList.EMPTY.with(
                                "etag", head.eTag().orElseThrow().toString()));
        }
    }

    private static Optional<ByteRange> range(Selection selection, StoredObject object, Set<Capability> capabilities) {
        if (selection instanceof Selection.Range range) {
            long size = object.head().size();
            return Optional.of(range.spec()
                    .within(size)
                    .orElseThrow(() -> new BackendException(Kind.INVALID_RANGE, range.spec() + " selects nothing")
                            .ofObjectWithSize(size)));
        }
        if (selection instanceof Selection.Part part) {
            return part(part.number(), object, capabilities);
        }
        return Optional.empty();
    }

    private static Optional<ByteRange> part(int number, StoredObject object, Set<Capability> capabilities) {
        boolean known = capabilities.contains(Capability.PARTS);
        Optional<ByteRange> range =
                known ? object.part(number) : whole(number, object.head().size());
        if (range.isEmpty() && (number != 1 || object.head().size() != 0)) {
            throw new BackendException(Kind.INVALID_PART, "no part " + number);
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
