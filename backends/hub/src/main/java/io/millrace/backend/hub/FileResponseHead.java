package io.millrace.backend.hub;

import io.millrace.backend.http.ObjectResponseHead;
import io.millrace.backend.http.ReadResponseValidator;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection.RangeSelection;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.kit.HttpDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The head of a response to a read of a file, and the check that it fits the request. The tag and size of a large file
 * are what the Hub told on its redirect; those of the server behind it mean nothing elsewhere. A pure function.
 *
 * @param isHead whether the request was a HEAD, or a GET in its place
 */
record FileResponseHead(ReadRequest request, Revision revision, FileResponse file, boolean isHead) {
    /** The header, of S3's user metadata, with the commit that a file was read at. */
    static final String COMMIT = "x-amz-meta-repo-commit";

    private static final int OK = 200;
    private static final int PARTIAL = 206;
    private static final int UNSATISFIABLE = 416;
    private static final Pattern SIZE_OF_416 = Pattern.compile("bytes \\*/([0-9]{1,18})", Pattern.CASE_INSENSITIVE);

    /** The id of a file in git, or a SHA-256: a tag that names the content. */
    private static final Pattern CONTENT_ID = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

    boolean isSuccessful() {
        return status() == OK || status() == PARTIAL;
    }

    /**
     * Returns the file's metadata and the selected range.
     *
     * @throws BackendException if the response does not fit; its message does not name backend and request yet
     */
    HeadResult validate() {
        HeaderList fields = new HeaderList(file.response().fields());
        if (fields.first("content-encoding")
                .filter(coding -> !coding.equalsIgnoreCase("identity"))
                .isPresent()) {
            throw new BackendException(FailureKind.INVALID_RESPONSE, "the file is encoded, though none was accepted");
        }
        ObjectResponseHead head =
                ObjectResponseHead.of(status(), described(fields)).requireTag();
        boolean isWhole = isHead || !isRanged() || status() == OK;
        HeadResult result = new ReadResponseValidator(request, head, isWhole).validate();
        file.linked().ifPresent(linked -> requireSize(linked, result));
        return result;
    }

    /**
     * Returns the failure of a range beyond the end of the file; empty if the response is another, or contradicts the
     * size.
     */
    Optional<BackendException> invalidRange() {
        if (status() != UNSATISFIABLE || !(request.selection() instanceof RangeSelection selected)) {
            return Optional.empty();
        }
        BackendException failure = new BackendException(FailureKind.INVALID_RANGE, "416");
        if (file.linked().isPresent()) {
            long size = file.linked().get().size();
            return Optional.of(failure.withObjectSize(size))
                    .filter(beyond -> selected.spec().resolve(size).isEmpty());
        }
        Matcher size = SIZE_OF_416.matcher(new HeaderList(file.response().fields())
                .first("content-range")
                .orElse("")
                .strip());
        return Optional.of(size.matches() ? failure.withObjectSize(Long.parseLong(size.group(1))) : failure);
    }

    /** Returns the status; the redirect that ends a HEAD describes the file as a 200 would. */
    private int status() {
        int status = file.response().status();
        return isHead && file.linked().isPresent() && status >= 300 && status < 400 ? OK : status;
    }

    private boolean isRanged() {
        return request.selection() instanceof RangeSelection;
    }

    private List<HeaderField> described(HeaderList fields) {
        boolean isRedirect = status() != file.response().status();
        List<HeaderField> described = new ArrayList<>();
        tag(fields).ifPresent(tag -> described.add(new HeaderField("etag", tag.toString())));
        if (isRedirect) {
            described.add(new HeaderField(
                    "content-length", String.valueOf(file.linked().orElseThrow().size())));
        } else {
            fields.first("content-length").ifPresent(text -> described.add(new HeaderField("content-length", text)));
            fields.first("content-range").ifPresent(text -> described.add(new HeaderField("content-range", text)));
        }
        described.add(new HeaderField("last-modified", HttpDate.format(revision.time())));
        described.add(new HeaderField("content-type", contentType(fields, isRedirect)));
        described.add(new HeaderField(COMMIT, revision.commit()));
        return described;
    }

    /** A file of other content has another id, so that a tag with it is as good as a strong one. */
    private Optional<ETag> tag(HeaderList fields) {
        return file.linked()
                .map(LinkedFile::tag)
                .or(() -> fields.first("etag"))
                .map(ETag::parse)
                .map(tag -> CONTENT_ID.matcher(tag.opaque()).matches() ? ETag.strong(tag.opaque()) : tag);
    }

    /** The server of a large file is not asked by a HEAD, and its type of it is no better than none. */
    private String contentType(HeaderList fields, boolean isRedirect) {
        boolean isOfTheHub = !isRedirect && file.linked().isEmpty();
        return fields.first("content-type").filter(type -> isOfTheHub).orElse("application/octet-stream");
    }

    private static void requireSize(LinkedFile linked, HeadResult result) {
        if (linked.size() != result.head().size()) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE,
                    "the Hub told a size of %d bytes, and the server that it redirects to one of %d"
                            .formatted(linked.size(), result.head().size()));
        }
    }
}
