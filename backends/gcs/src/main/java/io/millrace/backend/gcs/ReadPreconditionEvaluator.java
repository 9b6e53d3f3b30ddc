package io.millrace.backend.gcs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.kit.HttpDate;
import java.util.Optional;

/**
 * Decides what a read gets of an object whose metadata is known: version first, then preconditions, then the range. A
 * pure function.
 */
record ReadPreconditionEvaluator(ReadRequest request, ObjectHead head) {
    /**
     * Returns the metadata and the selected range.
     *
     * @throws BackendException if the read gets nothing
     */
    HeadResult result() {
        requireVersion(request, head.version());
        switch (request.conditions().evaluate(head.eTag(), head.lastModified())) {
            case PROCEED -> {}
            case NOT_MODIFIED ->
                throw new BackendException(FailureKind.NOT_MODIFIED, "not modified").withHeaders(errorHeaders(head));
            case FAILED -> throw new BackendException(FailureKind.PRECONDITION_FAILED, "a precondition does not hold");
        }
        return selected();
    }

    /**
     * @throws BackendException of kind {@link FailureKind#VERSION_CHANGED} if the request requires another version
     */
    static void requireVersion(ReadRequest request, ObjectVersion version) {
        request.requiredVersion().ifPresent(required -> {
            if (!required.validator().equals(version.validator()) || required.size() != version.size()) {
                throw new BackendException(
                        FailureKind.VERSION_CHANGED,
                        "required is generation %s of %d bytes, the object is of %s of %d bytes"
                                .formatted(required.validator(), required.size(), version.validator(), version.size()));
            }
        });
    }

    /** Returns the headers of a 304. */
    static HeaderList errorHeaders(ObjectHead head) {
        HeaderList headers = HeaderList.EMPTY;
        if (head.eTag().isPresent()) {
            headers = headers.with("etag", head.eTag().get().toString());
        }
        if (head.lastModified().isPresent()) {
            headers = headers.with(
                    "last-modified", HttpDate.format(head.lastModified().get()));
        }
        return headers;
    }

    private HeadResult selected() {
        long size = head.size();
        if (request.selection() instanceof ByteSelection.RangeSelection range) {
            Optional<ByteRange> bytes = range.spec().resolve(size);
            if (bytes.isEmpty()) {
                throw new BackendException(
                                FailureKind.INVALID_RANGE,
                                "%s of %d bytes".formatted(range.spec().toHeader(), size))
                        .withObjectSize(size);
            }
            return new HeadResult(bytes.get().length() < size ? withoutChecksums() : head, bytes);
        }
        if (request.selection() instanceof ByteSelection.PartSelection part) {
            if (part.number() > 1) {
                throw new BackendException(
                        FailureKind.INVALID_PART, "the object has one part, and no part " + part.number());
            }
            return new HeadResult(head, new RangeSpec.OpenEnded(0).resolve(size));
        }
        return new HeadResult(head, Optional.empty());
    }

    /** Checksums are of the whole object, but clients would compare them with the range. */
    private ObjectHead withoutChecksums() {
        HeaderList headers = new HeaderList(head.headers().fields().stream()
                .filter(field -> !field.name().startsWith("x-amz-checksum-"))
                .toList());
        return new ObjectHead(head.version(), head.eTag(), head.lastModified(), headers);
    }
}
