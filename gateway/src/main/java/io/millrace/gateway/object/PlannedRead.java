package io.millrace.gateway.object;

import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.gateway.http.HttpDate;
import io.millrace.gateway.http.S3Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A read that is decided, and how its answer looks.
 *
 * @param overrides fields that the caller sets
 */
record PlannedRead(ReadRequest request, HeaderList overrides) {
    /** The answer to it: 200 for the whole object, 206 for a range or part of it. */
    S3Answer answer(ObjectHead head, Optional<ByteRange> range, S3Answer.Body body) {
        List<HeaderList.Field> fields = new ArrayList<>();
        head.eTag().ifPresent(tag -> fields.add(new HeaderList.Field("etag", tag.toString())));
        head.lastModified().ifPresent(at -> fields.add(new HeaderList.Field("last-modified", HttpDate.format(at))));
        fields.add(new HeaderList.Field("accept-ranges", "bytes"));
        range.ifPresent(r -> fields.add(new HeaderList.Field("content-range", r.contentRange(head.size()))));
        for (HeaderList.Field field : head.headers().fields()) {
            if (isTold(field.name()) && overrides.first(field.name()).isEmpty()) {
                fields.add(field);
            }
        }
        fields.addAll(overrides.fields());
        // A browser must not guess a type for bytes that somebody else may have written.
        fields.add(new HeaderList.Field("x-content-type-options", "nosniff"));
        return new S3Answer(range.isPresent() ? 206 : 200, new HeaderList(fields), body);
    }

    /** A checksum is told when it was asked for, and never with a range: clients would check the range against it. */
    private boolean isTold(String name) {
        return !name.startsWith("x-amz-checksum-")
                || (request.checksums() && !(request.selection() instanceof Selection.Range));
    }
}
