package io.millrace.cache.metadata;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.cache.index.Fingerprint;

/**
 * The cached metadata of an object and the identity of its blocks.
 *
 * @param fetchedAt when the backend was asked for it, in milliseconds since 1970; before its response came
 * @param complete whether it has everything that a HEAD response has; the response to a range request has no checksum
 * @param mustRevalidate whether it must be revalidated with the backend before use
 * @param version fingerprint of the version, from which the keys of its blocks are made
 * @param blockSize bytes of each block but the last
 */
public record ObjectMetadata(
        ObjectId id,
        ObjectHead head,
        long fetchedAt,
        boolean complete,
        boolean mustRevalidate,
        Fingerprint version,
        int blockSize) {
    /** Returns a copy with the properties of the object alone, without the report of the gateway that it came from. */
    ObjectMetadata withoutTier() {
        return head.tier().isEmpty()
                ? this
                : new ObjectMetadata(id, head.withoutTier(), fetchedAt, complete, mustRevalidate, version, blockSize);
    }

    /** Returns the size of the object, in bytes. */
    public long size() {
        return head.size();
    }

    /** Returns the number of blocks. */
    public long blocks() {
        return size() / blockSize + (size() % blockSize == 0 ? 0 : 1);
    }
}
