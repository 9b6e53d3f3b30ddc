package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.HttpDate;
import java.util.Optional;

/** Decides what a read of a member gets that does not go through the finder of cached objects. */
final class MemberRead {
    private MemberRead() {}

    /**
     * Returns the selected bytes; empty for all.
     *
     * @throws BackendException if the member is of another version, a condition does not hold, or nothing is selected
     */
    static Optional<ByteRange> range(ReadRequest request, ObjectHead head) {
        if (request.requiredVersion().isPresent()
                && !request.requiredVersion().get().equals(head.version())) {
            throw new BackendException(FailureKind.VERSION_CHANGED, request.object() + " has changed");
        }
        switch (request.conditions().evaluate(head.eTag(), head.lastModified())) {
            case PROCEED -> {}
            case NOT_MODIFIED ->
                throw new BackendException(FailureKind.NOT_MODIFIED, request.object() + " is unchanged")
                        .withHeaders(notModifiedHeaders(head));
            case FAILED ->
                throw new BackendException(
                        FailureKind.PRECONDITION_FAILED,
                        "a precondition on %s does not hold".formatted(request.object()));
        }
        if (request.selection() instanceof ByteSelection.PartSelection part) {
            return rangeOfPart(part.number(), head.size());
        }
        if (!(request.selection() instanceof ByteSelection.RangeSelection range)) {
            return Optional.empty();
        }
        Optional<ByteRange> bytes = range.spec().resolve(head.size());
        if (bytes.isEmpty()) {
            throw new BackendException(FailureKind.INVALID_RANGE, "%s selects nothing".formatted(range.spec()))
                    .withObjectSize(head.size());
        }
        return bytes;
    }

    /**
     * Returns the bytes of a part. As in S3, what was not uploaded in parts is its own first part.
     *
     * @throws BackendException if it is another part
     */
    static Optional<ByteRange> rangeOfPart(int number, long size) {
        if (number != 1) {
            throw new BackendException(FailureKind.INVALID_PART, "no part %d of 1".formatted(number));
        }
        return size == 0 ? Optional.empty() : Optional.of(new ByteRange(0, size - 1));
    }

    /** Returns the metadata for the response: with its checksum only if that is asked for, and of all bytes. */
    static ObjectHead described(ReadRequest request, ObjectHead head) {
        if (request.checksums() && request.selection() instanceof ByteSelection.WholeObject) {
            return head;
        }
        HeaderList plain = new HeaderList(head.headers().fields().stream()
                .filter(field -> !field.name().startsWith("x-amz-checksum-"))
                .toList());
        return new ObjectHead(head.version(), head.eTag(), head.lastModified(), plain);
    }

    private static HeaderList notModifiedHeaders(ObjectHead head) {
        HeaderList tag = head.eTag()
                .map(own -> HeaderList.EMPTY.with("etag", own.toString()))
                .orElse(HeaderList.EMPTY);
        return head.lastModified()
                .map(time -> tag.with("last-modified", HttpDate.format(time)))
                .orElse(tag);
    }
}
