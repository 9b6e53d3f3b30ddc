package io.millrace.cache.metadata;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.cache.index.Fingerprint;

/**
 * What the cache knows of an object.
 *
 * @param fetchedAt when the backend was asked for it, in milliseconds since 1970; before its answer came
 * @param complete whether all was told that a HEAD would tell; a range's answer has no checksum
 * @param mustRevalidate whether the backend must be asked before it is used
 * @param version fingerprint of the version its blocks are found by
 * @param blockSize of its blocks, in bytes
 */
public record ObjectMetadata(
        ObjectId id,
        ObjectHead head,
        long fetchedAt,
        boolean complete,
        boolean mustRevalidate,
        Fingerprint version,
        int blockSize) {
    /** Bytes of the object. */
    public long size() {
        return head.size();
    }

    /** How many blocks it has. */
    public long blocks() {
        return size() / blockSize + (size() % blockSize == 0 ? 0 : 1);
    }
}
