package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.SelectedHead;
import java.util.List;
import java.util.Set;
import reactor.core.publisher.Mono;

/** The backend with only those capabilities that the server behind it has: they choose the cases of the contract. */
record LimitedBackend(Backend backend, Set<Capability> capabilities) implements Backend {
    @Override
    public Mono<SelectedHead> head(ReadRequest request) {
        return backend.head(request);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return backend.open(request);
    }

    @Override
    public Mono<ListPage> list(ListRequest request) {
        return backend.list(request);
    }

    @Override
    public Mono<List<BucketInfo>> buckets() {
        return backend.buckets();
    }

    @Override
    public Mono<BucketInfo> bucket(BucketName name) {
        return backend.bucket(name);
    }

    @Override
    public Mono<Void> close() {
        return backend.close();
    }
}
