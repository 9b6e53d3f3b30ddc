package io.millrace.gateway.cluster;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ByteRange;
import java.util.Optional;

/**
 * The home's description of an object, in the response to a {@link RelayedRead}.
 *
 * @param head with the home's report, which has the age of the metadata
 * @param range the bytes that follow, of the whole object if empty
 */
record RelayedObject(ObjectHead head, Optional<ByteRange> range) {
    /** Returns the number of bytes that follow where any are wanted. */
    long length() {
        return range.map(ByteRange::length).orElse(head.size());
    }
}
