package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.VersionLister.ListVersionsRequest;
import io.millrace.backend.spi.VersionLister.ListedVersion;
import io.millrace.backend.spi.VersionLister.VersionDetails;
import io.millrace.backend.spi.VersionLister.VersionMarker;
import io.millrace.backend.spi.VersionLister.VersionPage;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Lists the versions of objects on any backend; where it has no versions, each object has the version {@code null}, as
 * in a bucket that never had versioning.
 */
final class NullVersionLister {
    private static final String NULL = "null";

    private NullVersionLister() {}

    /**
     * Returns a page of the versions of a bucket's keys. An object whose key equals the bucket's prefix is left out;
     * some servers list its versions although the query begins after that key (versitygw).
     */
    static Mono<VersionPage> list(BucketView bucket, ListVersionsRequest query) {
        bucket.requireListing();
        Mono<VersionPage> page = list(bucket.backend(), query);
        return bucket.prefix().isEmpty() ? page : page.flatMap(found -> below(bucket, query, found));
    }

    private static Mono<VersionPage> below(BucketView bucket, ListVersionsRequest query, VersionPage page) {
        Optional<VersionMarker> withinPrefix =
                page.next().filter(next -> next.key().equals(bucket.prefix()));
        if (withinPrefix.isEmpty()) {
            return Mono.just(new VersionPage(
                    page.versions().stream()
                            .filter(version -> !version.key().value().equals(bucket.prefix()))
                            .toList(),
                    page.prefixes(),
                    page.next()));
        }
        ListVersionsRequest following = query.startingAt(withinPrefix.get());
        return following.equals(query)
                ? Mono.error(new BackendException(
                        FailureKind.INVALID_RESPONSE, "a page of versions that ends where it began"))
                : list(bucket, following);
    }

    private static Mono<VersionPage> list(Backend backend, ListVersionsRequest query) {
        Mono<VersionPage> objects = backend.listObjects(objects(query)).map(NullVersionLister::page);
        return backend.capabilities().contains(Capability.VERSIONS)
                ? backend.listVersions(query)
                        .onErrorResume(
                                BackendException.class, failure -> hasNone(failure) ? objects : Mono.error(failure))
                : objects;
    }

    /** Returns whether the server lacks the operation, and so has no versions. */
    private static boolean hasNone(BackendException failure) {
        return failure.kind() == FailureKind.UNSUPPORTED;
    }

    private static ListRequest objects(ListVersionsRequest query) {
        PageStart from = new PageStart.Marker(query.keyMarker());
        return new ListRequest(query.bucket(), query.prefix(), query.delimiter(), from, query.maxKeys(), true);
    }

    private static VersionPage page(ListPage page) {
        Optional<VersionMarker> next = page.next()
                .filter(PageStart.Marker.class::isInstance)
                .map(from -> new VersionMarker(((PageStart.Marker) from).text(), NULL));
        return new VersionPage(
                page.objects().stream().map(NullVersionLister::version).toList(), page.prefixes(), next);
    }

    private static ListedVersion version(ListPage.ListedObject entry) {
        VersionDetails content =
                new VersionDetails(entry.size(), entry.eTag(), entry.storageClass(), entry.checksums());
        return new ListedVersion(entry.key(), NULL, true, entry.lastModified(), entry.owner(), Optional.of(content));
    }
}
