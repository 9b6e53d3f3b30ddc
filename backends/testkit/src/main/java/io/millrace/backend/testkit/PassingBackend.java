package io.millrace.backend.testkit;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import reactor.core.publisher.Mono;

/** A backend that reads and lists what another one has; what else it can do is its own. */
public abstract class PassingBackend implements Backend {
    protected final Backend inner;

    protected PassingBackend(Backend inner) {
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

    /** Those of the other backend, and what S3 servers add to them. */
    protected final Set<Capability> forwardingCapabilities() {
        Set<Capability> all = EnumSet.of(
                Capability.TAGS,
                Capability.S3_CONFIGURATION,
                Capability.S3_FORWARD,
                Capability.CUSTOMER_KEYS,
                Capability.EXPECTED_OWNER,
                Capability.PATH_ALIASES,
                Capability.AMBIGUOUS_NOT_FOUND);
        all.addAll(inner.capabilities());
        return all;
    }

    @Override
    public Mono<Void> close() {
        return inner.close();
    }
}
