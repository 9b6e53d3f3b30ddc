package io.millrace.backend.spi;

import io.millrace.backend.spi.object.ByteRange;
import java.util.Optional;

/**
 * The result of a HEAD request to a backend: the object's metadata and the selected range.
 *
 * @param range the selected bytes, if the request selected a range or part
 */
public record HeadResult(ObjectHead head, Optional<ByteRange> range) {
    /** Returns the length in bytes of the body that a GET with the same selection has. */
    public long length() {
        return range.map(ByteRange::length).orElse(head.size());
    }
}
