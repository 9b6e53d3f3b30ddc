package io.millrace.gateway;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** Another backend, of which some answers are the test's own; each method makes another one. */
public record ScriptedBackend(
        Backend inner, Mono<List<BucketInfo>> listBuckets, UnaryOperator<ListRequest> requested, Mono<Void> close)
        implements Backend {

    public static ScriptedBackend over(Backend inner) {
        return new ScriptedBackend(inner, inner.listBuckets(), request -> request, inner.close());
    }

    public ScriptedBackend listingBuckets(Mono<List<BucketInfo>> response) {
        return new ScriptedBackend(inner, response, requested, close);
    }

    /** Takes each request for a listing for another. */
    public ScriptedBackend mistaking(UnaryOperator<ListRequest> change) {
        return new ScriptedBackend(inner, listBuckets, change, close);
    }

    public ScriptedBackend closing(Mono<Void> end) {
        return new ScriptedBackend(inner, listBuckets, requested, end);
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return inner.head(request);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return inner.open(request);
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return inner.listObjects(requested.apply(request));
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName bucket) {
        return inner.headBucket(bucket);
    }

    @Override
    public Set<Capability> capabilities() {
        return inner.capabilities();
    }
}
