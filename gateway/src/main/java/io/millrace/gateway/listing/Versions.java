package io.millrace.gateway.listing;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.From;
import io.millrace.backend.spi.VersionLister.Content;
import io.millrace.backend.spi.VersionLister.ListedVersion;
import io.millrace.backend.spi.VersionLister.VersionMarker;
import io.millrace.backend.spi.VersionLister.VersionPage;
import io.millrace.backend.spi.VersionLister.VersionQuery;
import io.millrace.gateway.bucket.BucketView;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Versions of any backend: where there are none, each object is its own null version, as in a bucket that never had any. */
final class Versions {
    private static final String NULL = "null";

    private Versions() {}

    /**
     * A page of the versions of a bucket's keys. An object whose key is the bucket's own prefix is none of them, and some servers
     * list its versions although the query begins after that key (versitygw).
     */
    static Mono<VersionPage> list(BucketView bucket, VersionQuery query) {
        Mono<VersionPage> page = list(bucket.backend(), query);
        return bucket.prefix().isEmpty() ? page : page.flatMap(found -> below(bucket, query, found));
    }

    private static Mono<VersionPage> below(BucketView bucket, VersionQuery query, VersionPage page) {
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
        VersionQuery following = query.from(withinPrefix.get());
        return following.equals(query)
                ? Mono.error(new BackendException(Kind.BROKEN_ANSWER, "a page of versions that ends where it began"))
                : list(bucket, following);
    }

    private static Mono<VersionPage> list(Backend backend, VersionQuery query) {
        Mono<VersionPage> objects = backend.list(objects(query)).map(Versions::page);
        return backend.capabilities().contains(Capability.VERSIONS)
                ? backend.listVersions(query)
                        .onErrorResume(
                                BackendException.class, failure -> hasNone(failure) ? objects : Mono.error(failure))
                : objects;
    }

    /** A server of S3 that has no such operation has no versions. */
    private static boolean hasNone(BackendException failure) {
        return failure.kind() == Kind.UNSUPPORTED;
    }

    private static ListRequest objects(VersionQuery query) {
        From from = new From.Marker(query.keyMarker());
        return new ListRequest(query.bucket(), query.prefix(), query.delimiter(), from, query.maxKeys(), true);
    }

    private static VersionPage page(ListPage page) {
        Optional<VersionMarker> next = page.next()
                .filter(From.Marker.class::isInstance)
                .map(from -> new VersionMarker(((From.Marker) from).text(), NULL));
        return new VersionPage(page.objects().stream().map(Versions::version).toList(), page.prefixes(), next);
    }

    private static ListedVersion version(ListPage.Entry entry) {
        Content content = new Content(entry.size(), entry.eTag(), entry.storageClass(), entry.checksums());
        return new ListedVersion(entry.key(), NULL, true, entry.lastModified(), entry.owner(), Optional.of(content));
    }
}
