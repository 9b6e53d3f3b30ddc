package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import java.util.Optional;

/**
 * Validates that a response to a read matches its request: status, range, sizes, version and preconditions. A pure
 * function.
 *
 * @param head whether the request was a HEAD, for which servers may ignore the range
 */
public record ReadResponseValidator(ReadRequest request, ObjectResponseHead response, boolean head) {
    private static final int OK = 200;
    private static final int PARTIAL = 206;

    /** The bytes of the object in a response; an empty {@code range} means all. */
    private record Extent(Optional<ByteRange> range, long size) {
        long length() {
            return range.map(ByteRange::length).orElse(size);
        }
    }

    /**
     * Returns the object's metadata and the selected range.
     *
     * @throws BackendException if the response does not match; its message does not name backend and request yet
     */
    public HeadResult validate() {
        Extent extent = extent();
        ObjectVersion version = ObjectVersion.ofETag(response.eTag(), extent.size(), response.versionId());
        checkVersionId();
        ReadDecision.requireVersion(request, version);
        checkConditions();
        HeaderList headers = headers(extent);
        return new HeadResult(
                new ObjectHead(version, response.eTag(), response.lastModified(), headers), extent.range());
    }

    private Extent extent() {
        ByteSelection selection = request.selection();
        if (selection instanceof ByteSelection.RangeSelection range) {
            return ranged(range.spec());
        }
        return selection instanceof ByteSelection.PartSelection part ? part(part.number()) : whole();
    }

    private Extent whole() {
        if (response.status() != OK) {
            throw invalid("status %d to a request for the whole object".formatted(response.status()));
        }
        return new Extent(Optional.empty(), contentLength());
    }

    private Extent ranged(RangeSpec spec) {
        if (response.status() == PARTIAL && isOfNothing()) {
            throw new BackendException(FailureKind.INVALID_RANGE, spec.toHeader() + " of 0 bytes").withObjectSize(0);
        }
        Extent extent = response.status() == PARTIAL ? partial() : unranged(spec);
        if (!extent.range().equals(spec.resolve(extent.size()))) {
            throw invalid("the range %s of %d bytes to a request for %s"
                    .formatted(extent.range(), extent.size(), spec.toHeader()));
        }
        return extent;
    }

    /** MinIO sends the last bytes of an empty object with 206. */
    private boolean isOfNothing() {
        return response.contentLength().orElse(0) == 0
                && response.contentRange()
                        .filter(reported -> reported.range().isEmpty() && reported.size() == 0)
                        .isPresent();
    }

    /** Accepts a 200 for a range request if the range is the whole object, or for a HEAD. */
    private Extent unranged(RangeSpec spec) {
        if (response.status() != OK) {
            throw invalid("status %d to a request for a range".formatted(response.status()));
        }
        long size = contentLength();
        Optional<ByteRange> selected = spec.resolve(size);
        if (selected.isEmpty() && (head || size == 0)) {
            throw new BackendException(FailureKind.INVALID_RANGE, "%s of %d bytes".formatted(spec.toHeader(), size))
                    .withObjectSize(size);
        }
        boolean everything = selected.isPresent() && selected.get().length() == size;
        if (!head && !everything) {
            throw invalid("the whole object to a request for " + spec.toHeader());
        }
        return new Extent(selected, size);
    }

    /** A 200 where a part was asked for is of an object in one piece, or of a server that knows no parts. */
    private Extent part(int number) {
        if (response.status() == PARTIAL && number == 1 && isEmptyObject()) {
            return new Extent(Optional.empty(), 0);
        }
        if (response.status() == PARTIAL) {
            Extent extent = partial();
            long first = extent.range().map(ByteRange::first).orElse(0L);
            if ((number == 1) != (first == 0)) {
                throw invalid("a part that begins at %d to a request for part %d".formatted(first, number));
            }
            return extent;
        }
        if (response.status() != OK) {
            throw invalid("status %d to a request for a part".formatted(response.status()));
        }
        if (number > 1) {
            throw new BackendException(FailureKind.INVALID_PART, "the object has one part, and no part " + number);
        }
        if (hasSeveralParts()) {
            throw invalid("200 to a request for a part of an object that has several");
        }
        long size = contentLength();
        return new Extent(size == 0 ? Optional.empty() : Optional.of(new ByteRange(0, size - 1)), size);
    }

    /**
     * An empty object has one part. Some servers respond 206 with an empty Content-Range (LocalStack) or none (MinIO).
     */
    private boolean isEmptyObject() {
        boolean hasNoBytes = response.contentLength().orElse(-1) == 0;
        boolean namesNoBytes = response.contentRange()
                .map(reported -> reported.range().isEmpty() && reported.size() == 0)
                .orElse(true);
        return hasNoBytes && namesNoBytes && !hasSeveralParts();
    }

    private boolean hasSeveralParts() {
        return response.objectHeaders()
                .first("x-amz-mp-parts-count")
                .filter(count -> !count.equals("1"))
                .isPresent();
    }

    private Extent partial() {
        ObjectResponseHead.ContentRange reported = response.contentRange()
                .filter(range -> range.range().isPresent())
                .orElseThrow(() -> invalid("206 without a usable Content-Range"));
        Extent extent = new Extent(reported.range(), reported.size());
        if (response.contentLength().isPresent() && response.contentLength().getAsLong() != extent.length()) {
            throw invalid("Content-Length %d and Content-Range of %d bytes"
                    .formatted(response.contentLength().getAsLong(), extent.length()));
        }
        return extent;
    }

    private long contentLength() {
        return response.contentLength().orElseThrow(() -> invalid("no Content-Length"));
    }

    /** A server without versions ignores the version id and sends its only version. */
    private void checkVersionId() {
        Optional<String> requested = request.versionId();
        Optional<String> reported = response.versionId();
        if (requested.isEmpty()
                || requested.equals(reported)
                || (reported.isEmpty() && requested.get().equals("null"))) {
            return;
        }
        if (reported.isPresent()) {
            throw invalid("another version than the requested one");
        }
        throw new BackendException(FailureKind.UNSUPPORTED, "the server keeps no versions");
    }

    private void checkConditions() {
        switch (request.conditions().evaluate(response.eTag(), response.lastModified())) {
            case PROCEED -> {}
            case NOT_MODIFIED ->
                throw new BackendException(FailureKind.NOT_MODIFIED, "not modified")
                        .withHeaders(response.errorHeaders());
            case FAILED -> throw new BackendException(FailureKind.PRECONDITION_FAILED, "a precondition does not hold");
        }
    }

    /**
     * Drops checksums for a range: they are of the whole object or part, but clients would compare them with the range.
     */
    private HeaderList headers(Extent extent) {
        boolean cut = request.selection() instanceof ByteSelection.RangeSelection && extent.length() < extent.size();
        if (request.checksums() && !cut) {
            return response.objectHeaders();
        }
        return response.objectHeaders().where(name -> !ChecksumAlgorithm.isHeader(name));
    }

    private static BackendException invalid(String what) {
        return new BackendException(FailureKind.INVALID_RESPONSE, what);
    }
}
