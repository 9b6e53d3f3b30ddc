package io.millrace.gateway.write;

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
import reactor.core.publisher.Mono;

/** Reads and lists what another backend has; what else it can do is its own. */
abstract class PassingBackend implements Backend {
    final Backend inner;

    PassingBackend(Backend inner) {
        this.inner = inner;
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
        return inner.listObjects(request);
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return inner.listBuckets();
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return inner.headBucket(name);
    }

    @Override
    public Set<Capability> capabilities() {
        return inner.capabilities();
    }

    @Override
    public Mono<Void> close() {
        return inner.close();
    }
}
