package io.millrace.backend.web;

import io.millrace.backend.http.ObjectResponseHead;
import io.millrace.backend.http.ReadResponseValidator;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.ObjectVersion.ValidatorStrength;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A successful response of a web server to a read, and the check that it fits the request. A pure function.
 *
 * <p>A version is strong only if the server can be asked for more of it: a strong ETag, and ranges. Any other object is
 * read in one stream.
 *
 * @param ranged whether the request had a Range header
 * @param ignoresRanges whether the server is known to ignore ranges of this object
 */
record CheckedReadResponse(ReadRequest request, int status, HeaderList fields, boolean ranged, boolean ignoresRanges) {
    static final int OK = 200;
    static final int PARTIAL = 206;

    private static final Set<String> OBJECT_HEADERS = Set.of(
            "content-type", "content-encoding", "content-language", "content-disposition", "cache-control", "expires");
    private static final String METADATA = "x-amz-meta-";

    /**
     * Returns the object's metadata and the selected range.
     *
     * @throws BackendException if the response does not fit; its message does not name backend and request yet
     */
    HeadResult validate() {
        List<HeaderField> known =
                fields.fields().stream().filter(CheckedReadResponse::isKnown).toList();
        ObjectResponseHead response = ObjectResponseHead.of(status, known);
        if (status == OK && response.contentLength().isEmpty()) {
            throw new BackendException(
                    FailureKind.UNSUPPORTED,
                    "the server does not say how long it is (no Content-Length), which S3 clients have to know");
        }
        // A 200 to a range is the whole object, of which the reader gets the range: as a HEAD describes it.
        HeadResult result = new ReadResponseValidator(request, response, !ranged || status == OK).validate();
        ObjectHead head = result.head();
        ObjectVersion version = version(head.eTag(), head.size(), isMoreThanRequested(result));
        return new HeadResult(
                new ObjectHead(version, head.eTag(), head.lastModified(), head.headers()), result.range());
    }

    /** Returns whether the body is the whole object though less was requested. */
    boolean isMoreThanRequested(HeadResult result) {
        return ranged && status == OK && result.length() < result.head().size();
    }

    private ObjectVersion version(Optional<ETag> tag, long size, boolean ignoredRange) {
        if (tag.isPresent()) {
            boolean strong = !tag.get().weak() && !ignoredRange && hasRanges();
            return new ObjectVersion(
                    strong ? ValidatorStrength.STRONG : ValidatorStrength.WEAK,
                    tag.get().toString(),
                    size,
                    Optional.empty());
        }
        return fields.first("last-modified")
                .filter(text -> !text.isEmpty())
                .map(time -> new ObjectVersion(ValidatorStrength.WEAK, time, size, Optional.empty()))
                .orElseGet(() -> new ObjectVersion(ValidatorStrength.NONE, "", size, Optional.empty()));
    }

    private boolean hasRanges() {
        boolean announced = fields.fields().stream()
                .filter(field -> field.name().equals("accept-ranges"))
                .flatMap(field -> Arrays.stream(field.value().split(",", -1)))
                .anyMatch(unit -> unit.strip().toLowerCase(Locale.ROOT).equals("bytes"));
        return status == PARTIAL || (announced && !ignoresRanges);
    }

    /** Returns whether a header describes the object or the response; what else S3 has may mean something else here. */
    private static boolean isKnown(HeaderField field) {
        return switch (field.name()) {
            case "etag", "last-modified", "content-length", "content-range" -> true;
            default -> OBJECT_HEADERS.contains(field.name()) || field.name().startsWith(METADATA);
        };
    }
}
