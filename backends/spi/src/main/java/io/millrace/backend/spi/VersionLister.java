package io.millrace.backend.spi;

import io.millrace.backend.spi.ListPage.Checksums;
import io.millrace.backend.spi.ListPage.Owner;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Lists the versions of objects, with {@link Capability#VERSIONS}. */
public interface VersionLister {
    /**
     * Which versions are asked for, in the byte order of their keys, the newest of a key first.
     *
     * @param prefix what keys begin with; may be empty
     * @param delimiter keys are rolled up at its first occurrence behind the prefix; empty for none
     * @param keyMarker behind which key the page begins; may be empty
     * @param versionIdMarker behind which version of {@code keyMarker}; may be empty
     * @param maxKeys versions, delete markers and rolled-up prefixes together at most, 0 to 1,000
     */
    record VersionQuery(
            BucketName bucket, String prefix, String delimiter, String keyMarker, String versionIdMarker, int maxKeys) {
        /** The same list from where a page of it ended. */
        public VersionQuery from(VersionMarker marker) {
            return new VersionQuery(bucket, prefix, delimiter, marker.key(), marker.versionId(), maxKeys);
        }
    }

    /**
     * One version of a key.
     *
     * @param content what it holds; empty for a delete marker
     */
    record ListedVersion(
            ObjectKey key,
            String versionId,
            boolean latest,
            Instant lastModified,
            Optional<Owner> owner,
            Optional<Content> content) {}

    /** What a version holds. */
    record Content(long size, Optional<ETag> eTag, String storageClass, Checksums checksums) {}

    /** Where a page ended; begins the next one. */
    record VersionMarker(String key, String versionId) {}

    /** A page of versions; {@code next} is empty on the last. */
    record VersionPage(List<ListedVersion> versions, List<String> prefixes, Optional<VersionMarker> next) {
        public VersionPage {
            versions = List.copyOf(versions);
            prefixes = List.copyOf(prefixes);
        }
    }

    /** One page of a bucket's versions. */
    default Mono<VersionPage> listVersions(VersionQuery query) {
        return Refusals.refuse("listVersions");
    }
}
