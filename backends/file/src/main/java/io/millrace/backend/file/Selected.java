package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/** Which bytes of an object a request gets, decided from its head alone. */
record Selected(ObjectHead head, Optional<ByteRange> range) {
    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    /**
     * The pin comes first, since conditions and ranges of another version mean nothing; then conditions, then the range.
     *
     * @throws BackendException if the request gets none
     */
    static Selected of(ReadRequest request, Lookup.Looked looked) {
        ObjectHead head = looked.head();
        if (request.pin().isPresent() && !request.pin().get().equals(head.version())) {
            throw FileErrors.changed(request.object());
        }
        check(request, head);
        Optional<ByteRange> range = range(request, head.size(), looked.parts());
        return new Selected(told(request, looked, range.isPresent()), range);
    }

    long first() {
        return range.map(ByteRange::first).orElse(0L);
    }

    long length() {
        return range.map(ByteRange::length).orElse(head.size());
    }

    /** A checksum is of the whole, so a range comes without; and only a part tells how many there are, as in S3. */
    private static ObjectHead told(ReadRequest request, Lookup.Looked looked, boolean ranged) {
        ObjectHead head = looked.head();
        boolean withSums = request.checksums() && !ranged;
        HeaderList headers = withSums ? head.headers() : StoredFields.withoutSums(head.headers());
        if (request.selection() instanceof Selection.Part && !looked.parts().isEmpty()) {
            headers = headers.with(
                    "x-amz-mp-parts-count", Integer.toString(looked.parts().count()));
        }
        return new ObjectHead(head.version(), head.eTag(), head.lastModified(), headers);
    }

    private static void check(ReadRequest request, ObjectHead head) {
        Conditions.Outcome outcome = request.conditions().check(head.eTag(), head.lastModified());
        if (outcome == Conditions.Outcome.FAILED) {
            throw new BackendException(
                    Kind.PRECONDITION_FAILED, "a precondition on %s does not hold".formatted(request.object()));
        }
        if (outcome == Conditions.Outcome.NOT_MODIFIED) {
            throw new BackendException(Kind.NOT_MODIFIED, request.object() + " is unchanged")
                    .withHeaders(unchanged(head));
        }
    }

    private static HeaderList unchanged(ObjectHead head) {
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
        if (request.selection() instanceof Selection.Range range) {
            Optional<ByteRange> bytes = range.spec().within(size);
            if (bytes.isEmpty()) {
                throw new BackendException(
                                Kind.INVALID_RANGE, "%s selects nothing of %d bytes".formatted(range.spec(), size))
                        .ofObjectWithSize(size);
            }
            return bytes;
        }
        return request.selection() instanceof Selection.Part part ? part(part.number(), size, parts) : Optional.empty();
    }

    /** A file that was not uploaded in parts is its own first one, as in S3. */
    private static Optional<ByteRange> part(int number, long size, PartSizes parts) {
        int count = parts.isEmpty() ? 1 : parts.count();
        if (number < 1 || number > count) {
            throw new BackendException(Kind.INVALID_PART, "no part %d of %d".formatted(number, count));
        }
        if (size == 0) {
            return Optional.empty();
        }
        long first = parts.beginning(number);
        long end = number == count ? size : parts.beginning(number + 1);
        if (first == end) {
            throw new BackendException(Kind.INVALID_RANGE, "part %d is empty".formatted(number)).ofObjectWithSize(size);
        }
        return Optional.of(new ByteRange(first, end - 1));
    }
}
