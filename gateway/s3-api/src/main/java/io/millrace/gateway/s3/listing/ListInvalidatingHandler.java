package io.millrace.gateway.s3.listing;

import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.read.CachedObjects;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.routing.S3Operation;
import reactor.core.publisher.Mono;

/** Makes or deletes a bucket, behind which no list of it is what it was, however that ends. */
public final class ListInvalidatingHandler implements S3Handler {
    private final BucketRegistry buckets;
    private final CachedObjects objects;
    private final S3Handler change;

    /**
     * Puts that around a change.
     *
     * @param change what is done
     */
    public ListInvalidatingHandler(BucketRegistry buckets, CachedObjects objects, S3Handler change) {
        this.buckets = buckets;
        this.objects = objects;
        this.change = change;
    }

    @Override
    public S3Operation operation() {
        return change.operation();
    }

    @Override
    public Mono<S3Response> handle(AuthorizedRequest admission) {
        Runnable changed = () -> buckets.findAny(admission.bucket()).ifPresent(objects::onBucketWrite);
        return change.handle(admission).doOnTerminate(changed).doOnCancel(changed);
    }
}
