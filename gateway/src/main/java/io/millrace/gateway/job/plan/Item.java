package io.millrace.gateway.job.plan;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.ObjectKey;
import java.time.Instant;
import java.util.Optional;

/**
 * An object that a job is about.
 *
 * @param key as clients name it
 * @param listed what a list told of it; empty if its name is all that is known
 * @param position where a plan goes on behind it
 */
public record Item(ObjectKey key, Optional<Listed> listed, String position) {
    /** What a list tells of an object. */
    public record Listed(long size, Optional<ETag> eTag, Instant lastModified) {}

    /** Bytes of it; 0 if they are not known. */
    public long size() {
        return listed.map(Listed::size).orElse(0L);
    }
}
