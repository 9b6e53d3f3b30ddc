package io.millrace.backend.spi;

import java.time.Instant;
import java.util.Optional;

/**
 * What is known of a key now.
 *
 * @param version the content: validator and size
 * @param eTag the tag clients see
 * @param lastModified when the content was written; whole seconds
 * @param headers what a client of S3 is told besides: {@code content-type} and the other {@code content-*} fields but
 *     length and range, {@code cache-control}, {@code expires}, {@code x-amz-meta-*}, {@code x-amz-checksum-*} when
 *     asked for, {@code x-amz-version-id}, {@code x-amz-mp-parts-count} and their like; see {@link ResponseHeaders}
 */
public record ObjectHead(
        ObjectVersion version, Optional<ETag> eTag, Optional<Instant> lastModified, HeaderList headers) {
    /** Bytes of the whole object. */
    public long size() {
        return version.size();
    }
}
