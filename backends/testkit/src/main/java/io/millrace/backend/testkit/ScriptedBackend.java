package io.millrace.backend.testkit;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.object.BucketInfo;
import java.util.List;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** A backend over another one, some of whose answers are the test's own; each method makes another one. */
public final class ScriptedBackend extends PassingBackend {
    private final Mono<List<BucketInfo>> buckets;
    private final UnaryOperator<ListRequest> requested;
    private final Mono<Void> end;

    private ScriptedBackend(
            Backend inner, Mono<List<BucketInfo>> buckets, UnaryOperator<ListRequest> requested, Mono<Void> end) {
        super(inner);
        this.buckets = buckets;
        this.requested = requested;
        this.end = end;
    }

    public static ScriptedBackend over(Backend inner) {
        return new ScriptedBackend(inner, inner.listBuckets(), request -> request, inner.close());
    }

    public ScriptedBackend listingBuckets(Mono<List<BucketInfo>> response) {
        return new ScriptedBackend(inner, response, requested, end);
    }

    /** Takes each request for a listing for another. */
    public ScriptedBackend mistaking(UnaryOperator<ListRequest> change) {
        return new ScriptedBackend(inner, buckets, change, end);
    }

    public ScriptedBackend closing(Mono<Void> close) {
        return new ScriptedBackend(inner, buckets, requested, close);
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return inner.listObjects(requested.apply(request));
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return buckets;
    }

    @Override
    public Mono<Void> close() {
        return end;
    }
}
