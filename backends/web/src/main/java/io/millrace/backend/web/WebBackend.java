package io.millrace.backend.web;

import io.millrace.backend.http.ReadOnlyBackend;
import io.millrace.backend.http.WebRequestExceptionMapper;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/** A read-only backend over a plain web server. */
final class WebBackend implements ReadOnlyBackend {
    private final Set<Capability> capabilities;
    private final WebClient client;
    private final WebObjectReader reader;
    private final WebObjectLister lister;

    WebBackend(String name, WebBackendSettings settings) {
        // Without a listing nothing tells a missing bucket from a missing key.
        capabilities = settings.listing() == ListingSource.NONE
                ? Set.of()
                : Set.of(Capability.LIST, Capability.AMBIGUOUS_NOT_FOUND);
        client = new WebClient(name, settings);
        UrlLayout layout = UrlLayout.of(settings.url(), settings.bucketInPath());
        WebRequestExceptionMapper failures = new WebRequestExceptionMapper(name, layout.root());
        reader = new WebObjectReader(client, layout, failures);
        lister = new WebObjectLister(settings, client, layout, reader, failures);
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return reader.head(request);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return reader.open(request);
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return lister.listObjects(request);
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return lister.listBuckets();
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return lister.headBucket(name);
    }

    @Override
    public Mono<String> probe(Optional<BucketName> bucket) {
        return lister.probe(bucket);
    }

    @Override
    public BackendRemedies remedies() {
        return BackendRemedies.ofReadOnlyServer("url");
    }

    @Override
    public String place() {
        return "on a web server";
    }

    @Override
    public Mono<Void> close() {
        return client.close();
    }
}
