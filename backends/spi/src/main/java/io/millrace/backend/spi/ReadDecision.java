package io.millrace.backend.spi;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.kit.HttpDate;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The decision what a read gets of an object whose metadata is known, for backends without a server that decides. The
 * required version comes first, because conditions and ranges of another version mean nothing; then the preconditions;
 * then the range or part, which nobody looks at if a precondition fails. Pure functions.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2">RFC 9110, 13.2.2</a>
 */
public final class ReadDecision {
    private ReadDecision() {}

    /**
     * Returns the metadata and the selected bytes of an object that was not uploaded in parts.
     *
     * @throws BackendException as {@link #of(ReadRequest, ObjectHead, IntFunction)} does
     */
    public static HeadResult of(ReadRequest request, ObjectHead head) {
        return of(request, head, number -> onlyPart(number, head.size()));
    }

    /**
     * Returns the metadata and the selected bytes of an object. The metadata has checksums only if they are requested
     * and all bytes are selected, because clients would compare them with what they get.
     *
     * @param head all metadata of the object, with the checksums of all its bytes
     * @param parts returns the bytes of a part, empty if the object is; fails with {@link FailureKind#INVALID_PART} if
     *     the object has no such part
     * @throws BackendException if the object is of another version, a precondition asks for no response with it, or
     *     nothing is selected
     */
    public static HeadResult of(ReadRequest request, ObjectHead head, IntFunction<Optional<ByteRange>> parts) {
        requireVersion(request, head.version());
        requireConditions(request, head);
        Optional<ByteRange> range = range(request.selection(), head.size(), parts);
        HeadResult selected = new HeadResult(head, range);
        return request.checksums() && selected.length() == head.size()
                ? selected
                : new HeadResult(head.withoutChecksums(), range);
    }

    /**
     * Fails if the request requires another version than this one, or if this one does not tell: it has the same bytes
     * only if its validator is strong. The version id does not count, because the validator already identifies them.
     *
     * @throws BackendException of kind {@link FailureKind#VERSION_CHANGED}
     */
    public static void requireVersion(ReadRequest request, ObjectVersion version) {
        request.requiredVersion().ifPresent(required -> {
            boolean isSame = version.hasStrongValidator()
                    && required.validator().equals(version.validator())
                    && required.size() == version.size();
            if (!isSame) {
                throw new BackendException(
                        FailureKind.VERSION_CHANGED,
                        "required is version %s of %d bytes, %s is of %s of %d bytes"
                                .formatted(
                                        required.validator(),
                                        required.size(),
                                        request.object(),
                                        version.validator(),
                                        version.size()));
            }
        });
    }

    /**
     * Returns the bytes of a part of an object that was not uploaded in parts: as in S3, it is its own first part.
     *
     * @throws BackendException of kind {@link FailureKind#INVALID_PART} for any other part
     */
    public static Optional<ByteRange> onlyPart(int number, long size) {
        if (number != 1) {
            throw new BackendException(
                    FailureKind.INVALID_PART, "the object has one part, and no part %d".formatted(number));
        }
        return size == 0 ? Optional.empty() : Optional.of(new ByteRange(0, size - 1));
    }

    /** Returns the headers of a 304 that identify the object's version. */
    public static HeaderList notModifiedHeaders(ObjectHead head) {
        HeaderList tag = head.eTag()
                .map(own -> HeaderList.EMPTY.with("etag", own.toString()))
                .orElse(HeaderList.EMPTY);
        return head.lastModified()
                .map(time -> tag.with("last-modified", HttpDate.format(time)))
                .orElse(tag);
    }

    private static void requireConditions(ReadRequest request, ObjectHead head) {
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
    }

    private static Optional<ByteRange> range(
            ByteSelection selection, long size, IntFunction<Optional<ByteRange>> parts) {
        if (selection instanceof ByteSelection.PartSelection part) {
            return parts.apply(part.number());
        }
        if (!(selection instanceof ByteSelection.RangeSelection range)) {
            return Optional.empty();
        }
        Optional<ByteRange> bytes = range.spec().resolve(size);
        if (bytes.isEmpty()) {
            throw new BackendException(
                            FailureKind.INVALID_RANGE,
                            "%s of %d bytes".formatted(range.spec().toHeader(), size))
                    .withObjectSize(size);
        }
        return bytes;
    }
}
