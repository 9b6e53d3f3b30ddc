package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.SelectedHead;
import java.util.Optional;

/**
 * Whether an answer that brings an object is the answer to this request: status, range, sizes, version, pin and
 * preconditions. Pure.
 *
 * @param head whether it is the answer to a HEAD, which servers may give without regard to the range
 */
record AnswerCheck(ReadCall call, Answer answer, boolean head) {
    private static final int OK = 200;
    private static final int PARTIAL = 206;

    /** What of the object an answer brings: {@code range} empty means all. */
    private record Extent(Optional<ByteRange> range, long size) {
        long length() {
            return range.map(ByteRange::length).orElse(size);
        }
    }

    /**
     * The object's head and the range, as the request asked for them.
     *
     * @throws BackendException if the answer does not fit; its message has no place and no name yet
     */
    SelectedHead check() {
        Extent extent = extent();
        ObjectVersion version = ObjectVersion.ofETag(answer.eTag(), extent.size(), answer.versionId());
        checkVersionId();
        checkPin(version);
        checkConditions();
        HeaderList headers = headers(extent);
        return new SelectedHead(new ObjectHead(version, answer.eTag(), answer.lastModified(), headers), extent.range());
    }

    private Extent extent() {
        Selection selection = call.request().selection();
        if (selection instanceof Selection.Range range) {
            return ranged(range.spec());
        }
        return selection instanceof Selection.Part part ? part(part.number()) : whole();
    }

    private Extent whole() {
        if (answer.status() != OK) {
            throw broken("status %d to a request for the whole object".formatted(answer.status()));
        }
        return new Extent(Optional.empty(), contentLength());
    }

    private Extent ranged(RangeSpec spec) {
        Extent extent = answer.status() == PARTIAL ? partial() : unranged(spec);
        if (!extent.range().equals(spec.within(extent.size()))) {
            throw broken("the range %s of %d bytes to a request for %s"
                    .formatted(extent.range(), extent.size(), spec.header()));
        }
        return extent;
    }

    /** A 200 where a range was asked for is right if the range is everything, and to a HEAD. */
    private Extent unranged(RangeSpec spec) {
        if (answer.status() != OK) {
            throw broken("status %d to a request for a range".formatted(answer.status()));
        }
        long size = contentLength();
        Optional<ByteRange> selected = spec.within(size);
        if (selected.isEmpty() && (head || size == 0)) {
            throw new BackendException(Kind.INVALID_RANGE, "%s of %d bytes".formatted(spec.header(), size))
                    .ofObjectWithSize(size);
        }
        boolean everything = selected.isPresent() && selected.get().length() == size;
        if (!head && !everything) {
            throw broken("the whole object to a request for " + spec.header());
        }
        return new Extent(selected, size);
    }

    /** A 200 where a part was asked for is of an object in one piece, or of a server that knows no parts. */
    private Extent part(int number) {
        if (answer.status() == PARTIAL && number == 1 && isOfNothing()) {
            return new Extent(Optional.empty(), 0);
        }
        if (answer.status() == PARTIAL) {
            Extent extent = partial();
            long first = extent.range().map(ByteRange::first).orElse(0L);
            if ((number == 1) != (first == 0)) {
                throw broken("a part that begins at %d to a request for part %d".formatted(first, number));
            }
            return extent;
        }
        if (answer.status() != OK) {
            throw broken("status %d to a request for a part".formatted(answer.status()));
        }
        if (number > 1) {
            throw new BackendException(Kind.INVALID_PART, "the object has one part, and no part " + number);
        }
        if (hasSeveralParts()) {
            throw broken("200 to a request for a part of an object that has several");
        }
        long size = contentLength();
        return new Extent(size == 0 ? Optional.empty() : Optional.of(new ByteRange(0, size - 1)), size);
    }

    /** An empty object has one part. Some servers call it partial, with a range of nothing (LocalStack) or none (MinIO). */
    private boolean isOfNothing() {
        boolean hasNoBytes = answer.contentLength().orElse(-1) == 0;
        boolean namesNoBytes = answer.contentRange()
                .map(told -> told.range().isEmpty() && told.size() == 0)
                .orElse(true);
        return hasNoBytes && namesNoBytes && !hasSeveralParts();
    }

    private boolean hasSeveralParts() {
        return answer.describing()
                .first("x-amz-mp-parts-count")
                .filter(count -> !count.equals("1"))
                .isPresent();
    }

    private Extent partial() {
        Answer.ContentRange told = answer.contentRange()
                .filter(range -> range.range().isPresent())
                .orElseThrow(() -> broken("206 without a usable Content-Range"));
        Extent extent = new Extent(told.range(), told.size());
        if (answer.contentLength().isPresent() && answer.contentLength().getAsLong() != extent.length()) {
            throw broken("Content-Length %d and Content-Range of %d bytes"
                    .formatted(answer.contentLength().getAsLong(), extent.length()));
        }
        return extent;
    }

    private long contentLength() {
        return answer.contentLength().orElseThrow(() -> broken("no Content-Length"));
    }

    /** A server without versions ignores the id and answers with what it has, which may be any version. */
    private void checkVersionId() {
        Optional<String> asked = call.request().versionId();
        Optional<String> told = answer.versionId();
        if (asked.isEmpty()
                || asked.equals(told)
                || (told.isEmpty() && asked.get().equals("null"))) {
            return;
        }
        if (told.isPresent()) {
            throw broken("another version than the one that was asked for");
        }
        throw new BackendException(Kind.UNSUPPORTED, "the server keeps no versions");
    }

    private void checkPin(ObjectVersion version) {
        call.request().pin().ifPresent(pin -> {
            if (!pin.validator().equals(version.validator()) || pin.size() != version.size()) {
                throw new BackendException(
                        Kind.VERSION_CHANGED,
                        "pinned to %s of %d bytes, the answer is %s of %d"
                                .formatted(pin.validator(), pin.size(), version.validator(), version.size()));
            }
        });
    }

    private void checkConditions() {
        switch (call.request().conditions().check(answer.eTag(), answer.lastModified())) {
            case PROCEED -> {}
            case NOT_MODIFIED ->
                throw new BackendException(Kind.NOT_MODIFIED, "not modified").withHeaders(answer.told());
            case FAILED -> throw new BackendException(Kind.PRECONDITION_FAILED, "a precondition does not hold");
        }
    }

    /** A checksum is of all bytes or, for a part, of its own: clients would compare it with those of any range. */
    private HeaderList headers(Extent extent) {
        boolean cut = call.request().selection() instanceof Selection.Range && extent.length() < extent.size();
        if (call.request().checksums() && !cut) {
            return answer.describing();
        }
        return new HeaderList(answer.describing().fields().stream()
                .filter(field -> !field.name().startsWith("x-amz-checksum-"))
                .toList());
    }

    private static BackendException broken(String what) {
        return new BackendException(Kind.BROKEN_ANSWER, what);
    }
}
