package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ReadConditions;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/** The metadata and byte range that answer a read request, resolved from the object's metadata alone. */
record ResolvedRead(ObjectHead head, Optional<ByteRange> range) {
    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    /**
     * Resolves a read request. The required version is checked first, because conditions and ranges of another version
     * mean nothing; then the conditions, then the range.
     *
     * @throws BackendException if the request cannot be served
     */
    static ResolvedRead resolve(ReadRequest request, ObjectLookup.FoundObject looked) {
        ObjectHead head = looked.head();
        if (request.requiredVersion().isPresent()
                && !request.requiredVersion().get().equals(head.version())) {
            throw FileErrorMapper.changed(request.object());
        }
        check(request, head);
        Optional<ByteRange> range = range(request, head.size(), looked.parts());
        return new ResolvedRead(responseHead(request, looked, range.isPresent()), range);
    }

    long first() {
        return range.map(ByteRange::first).orElse(0L);
    }

    long length() {
        return range.map(ByteRange::length).orElse(head.size());
    }

    /**
     * Returns the metadata for the response. As in S3, a checksum covers the whole object, so a range has none, and
     * only the read of a part has the number of parts.
     */
    private static ObjectHead responseHead(ReadRequest request, ObjectLookup.FoundObject looked, boolean ranged) {
        ObjectHead head = looked.head();
        boolean withSums = request.checksums() && !ranged;
        HeaderList headers = withSums ? head.headers() : WriteHeaderPolicy.withoutChecksums(head.headers());
        if (request.selection() instanceof ByteSelection.PartSelection
                && !looked.parts().isEmpty()) {
            headers = headers.with(
                    "x-amz-mp-parts-count", Integer.toString(looked.parts().count()));
        }
        return new ObjectHead(head.version(), head.eTag(), head.lastModified(), headers);
    }

    private static void check(ReadRequest request, ObjectHead head) {
        ReadConditions.ConditionOutcome outcome = request.conditions().evaluate(head.eTag(), head.lastModified());
        if (outcome == ReadConditions.ConditionOutcome.FAILED) {
            throw new BackendException(
                    FailureKind.PRECONDITION_FAILED, "a precondition on %s does not hold".formatted(request.object()));
        }
        if (outcome == ReadConditions.ConditionOutcome.NOT_MODIFIED) {
            throw new BackendException(FailureKind.NOT_MODIFIED, request.object() + " is unchanged")
                    .withHeaders(notModifiedHeaders(head));
        }
    }

    private static HeaderList notModifiedHeaders(ObjectHead head) {
        HeaderList fields = HeaderList.EMPTY;
        if (head.eTag().isPresent()) {
            fields = fields.with("etag", head.eTag().get().toString());
        }
        if (head.lastModified().isPresent()) {
            fields = fields.with(
                    "last-modified", HTTP_DATE.format(head.lastModified().get()));
        }
        return fields;
    }

    private static Optional<ByteRange> range(ReadRequest request, long size, PartSizes parts) {
        if (request.selection() instanceof ByteSelection.RangeSelection range) {
            Optional<ByteRange> bytes = range.spec().resolve(size);
            if (bytes.isEmpty()) {
                throw new BackendException(
                                FailureKind.INVALID_RANGE,
                                "%s selects nothing of %d bytes".formatted(range.spec(), size))
                        .withObjectSize(size);
            }
            return bytes;
        }
        return request.selection() instanceof ByteSelection.PartSelection part
                ? part(part.number(), size, parts)
                : Optional.empty();
    }

    /** Returns the range of a part. As in S3, a file that was not uploaded in parts is its own first part. */
    private static Optional<ByteRange> part(int number, long size, PartSizes parts) {
        int count = parts.isEmpty() ? 1 : parts.count();
        if (number < 1 || number > count) {
            throw new BackendException(FailureKind.INVALID_PART, "no part %d of %d".formatted(number, count));
        }
        if (size == 0) {
            return Optional.empty();
        }
        long first = parts.offset(number);
        long end = number == count ? size : parts.offset(number + 1);
        if (first == end) {
            throw new BackendException(FailureKind.INVALID_RANGE, "part %d is empty".formatted(number))
                    .withObjectSize(size);
        }
        return Optional.of(new ByteRange(first, end - 1));
    }
}
