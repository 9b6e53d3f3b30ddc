package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ByteRange;

/**
 * A part of a cached object that is an object itself.
 *
 * @param head its own metadata, with its own size
 * @param offset its first byte in the cached object
 */
public record ObjectSlice(ObjectHead head, long offset) {
    /** Returns the place in the cached object of bytes of the slice. */
    public ByteRange placed(ByteRange range) {
        return new ByteRange(offset + range.first(), offset + range.last());
    }
}
