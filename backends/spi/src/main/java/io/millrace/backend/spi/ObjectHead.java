package io.millrace.backend.spi;

import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import java.time.Instant;
import java.util.Optional;

/**
 * The metadata of an object as a HEAD or GET response contains it.
 *
 * @param version validator and size
 * @param eTag the tag that clients see
 * @param lastModified the time of the write, in whole seconds
 * @param headers the other headers of the object: {@code content-type} and the other {@code content-*} fields but
 *     length and range, {@code cache-control}, {@code expires}, {@code x-amz-meta-*}, {@code x-amz-checksum-*} when
 *     requested, {@code x-amz-version-id}, {@code x-amz-mp-parts-count} and their like; see {@link ObjectHeaderNames}
 */
public record ObjectHead(
        ObjectVersion version, Optional<ETag> eTag, Optional<Instant> lastModified, HeaderList headers) {
    /** Returns the size of the whole object in bytes. */
    public long size() {
        return version.size();
    }
}
