package io.millrace.backend.spi;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
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
 * @param tier the report of the gateway that it came from; not a property of the object
 */
public record ObjectHead(
        ObjectVersion version,
        Optional<ETag> eTag,
        Optional<Instant> lastModified,
        HeaderList headers,
        Optional<TierResponse> tier) {
    /** The metadata of an object that came from no gateway. */
    public ObjectHead(ObjectVersion version, Optional<ETag> eTag, Optional<Instant> lastModified, HeaderList headers) {
        this(version, eTag, lastModified, headers, Optional.empty());
    }

    /** Returns a copy with the report of the gateway that it came from. */
    public ObjectHead through(TierResponse gateway) {
        return new ObjectHead(version, eTag, lastModified, headers, Optional.of(gateway));
    }

    /** Returns a copy with the properties of the object alone. */
    public ObjectHead withoutTier() {
        return tier.isEmpty() ? this : new ObjectHead(version, eTag, lastModified, headers);
    }

    /** Returns a copy with other headers. */
    public ObjectHead withHeaders(HeaderList others) {
        return new ObjectHead(version, eTag, lastModified, others, tier);
    }

    /** Returns a copy without the object's checksums and their type. */
    public ObjectHead withoutChecksums() {
        return withHeaders(headers.where(name -> !ChecksumAlgorithm.isHeader(name)));
    }

    /** Returns the size of the whole object in bytes. */
    public long size() {
        return version.size();
    }
}
