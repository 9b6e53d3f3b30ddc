package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.HttpDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Builds the response to a GET or HEAD whose preconditions and range have been evaluated.
 *
 * @param overrides response headers that the caller sets
 */
record ReadResponseBuilder(ReadRequest request, HeaderList overrides) {
    /** Returns the response: 200 for the whole object, 206 for a range or a part. */
    S3Response respond(ObjectHead head, Optional<ByteRange> range, S3Response.Body body) {
        List<HeaderList.HeaderField> fields = new ArrayList<>();
        head.eTag().ifPresent(tag -> fields.add(new HeaderList.HeaderField("etag", tag.toString())));
        head.lastModified()
                .ifPresent(at -> fields.add(new HeaderList.HeaderField("last-modified", HttpDate.format(at))));
        fields.add(new HeaderList.HeaderField("accept-ranges", "bytes"));
        range.ifPresent(r -> fields.add(new HeaderList.HeaderField("content-range", r.toContentRange(head.size()))));
        for (HeaderList.HeaderField field : head.headers().fields()) {
            if (isSent(field.name()) && overrides.first(field.name()).isEmpty()) {
                fields.add(field);
            }
        }
        fields.addAll(overrides.fields());
        // A browser must not guess the type of bytes that somebody else may have written.
        fields.add(new HeaderList.HeaderField("x-content-type-options", "nosniff"));
        return new S3Response(range.isPresent() ? 206 : 200, new HeaderList(fields), body);
    }

    /**
     * Returns whether a header is sent. A checksum is sent only if requested, and never with a range, because clients
     * would verify the range against it.
     */
    private boolean isSent(String name) {
        return !ChecksumAlgorithm.isHeader(name)
                || (request.checksums() && !(request.selection() instanceof ByteSelection.RangeSelection));
    }
}
