package io.millrace.backend.spi;

import io.millrace.backend.spi.ListPage.ListedChecksums;
import io.millrace.backend.spi.ListPage.ObjectOwner;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** The operation of a backend that lists object versions (ListObjectVersions). Requires {@link Capability#VERSIONS}. */
public interface VersionLister {
    /**
     * A request for one page of a bucket's versions, in the byte order of their keys, the newest version of a key
     * first.
     *
     * @param prefix of the keys; may be empty
     * @param delimiter keys are grouped by the text up to its first occurrence after the prefix; empty for no grouping
     * @param keyMarker the key after which the page begins; may be empty
     * @param versionIdMarker the version of {@code keyMarker} after which the page begins; may be empty
     * @param maxKeys upper bound for versions, delete markers and common prefixes together, 0 to 1,000
     */
    record ListVersionsRequest(
            BucketName bucket, String prefix, String delimiter, String keyMarker, String versionIdMarker, int maxKeys) {
        /** Returns a request for the page after this marker. */
        public ListVersionsRequest startingAt(VersionMarker marker) {
            return new ListVersionsRequest(bucket, prefix, delimiter, marker.key(), marker.versionId(), maxKeys);
        }
    }

    /**
     * A version in a listing, or a delete marker.
     *
     * @param details size, tag and storage class; empty for a delete marker
     */
    record ListedVersion(
            ObjectKey key,
            String versionId,
            boolean latest,
            Instant lastModified,
            Optional<ObjectOwner> owner,
            Optional<VersionDetails> details) {}

    /** The size, tag, storage class and checksums of a version. */
    record VersionDetails(long size, Optional<ETag> eTag, String storageClass, ListedChecksums checksums) {}

    /** The position after which the next page of versions begins. */
    record VersionMarker(String key, String versionId) {}

    /** A page of versions; {@code next} is empty on the last. */
    record VersionPage(List<ListedVersion> versions, List<String> prefixes, Optional<VersionMarker> next) {
        public VersionPage {
            versions = List.copyOf(versions);
            prefixes = List.copyOf(prefixes);
        }
    }

    /** Lists one page of a bucket's versions. */
    default Mono<VersionPage> listVersions(ListVersionsRequest query) {
        return UnsupportedOperationErrors.error("listVersions");
    }
}
