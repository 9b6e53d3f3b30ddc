package io.millrace.gateway.listing;

import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.freshness.CachedObjects;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import reactor.core.publisher.Mono;

/** Makes or deletes a bucket, behind which no list of it is what it was, however that ends. */
public final class ChangedBucket implements S3Handler {
    private final Buckets buckets;
    private final CachedObjects objects;
    private final S3Handler change;

    /**
     * Puts that around a change.
     *
     * @param change what is done
     */
    public ChangedBucket(Buckets buckets, CachedObjects objects, S3Handler change) {
        this.buckets = buckets;
        this.objects = objects;
        this.change = change;
    }

    @Override
    public S3Operation operation() {
        return change.operation();
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        Runnable changed = () -> buckets.findAny(admission.bucket()).ifPresent(objects::bucketWritten);
        return change.handle(admission).doOnTerminate(changed).doOnCancel(changed);
    }
}
