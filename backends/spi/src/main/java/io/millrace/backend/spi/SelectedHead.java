package io.millrace.backend.spi;

import java.util.Optional;

/**
 * The answer to a HEAD.
 *
 * @param range the selected bytes, if a range or part was asked for
 */
public record SelectedHead(ObjectHead head, Optional<ByteRange> range) {
    /** What the body of the same read would be long. */
    public long length() {
        return range.map(ByteRange::length).orElse(head.size());
    }
}
