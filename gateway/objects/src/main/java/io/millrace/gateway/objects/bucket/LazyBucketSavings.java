package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.object.BucketName;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Counts the reads of one bucket, to report the backend requests and money that the cache saves; creates the counters
 * only once the bucket is known to exist. Thread-safe.
 */
public final class LazyBucketSavings {
    private final BucketSavingsRegistry accounts;
    private final String backend;
    private final BucketName bucket;

    LazyBucketSavings(BucketSavingsRegistry accounts, String backend, BucketName bucket) {
        this.accounts = accounts;
        this.backend = backend;
        this.bucket = bucket;
    }

    /** Returns the savings, if they were created. */
    public Optional<BucketSavings> find() {
        return accounts.find(backend, bucket);
    }

    /** Returns the savings of an existing bucket; creates them if necessary. */
    public BucketSavings create() {
        return accounts.create(backend, bucket);
    }

    /** Counts a read when it is subscribed to, and its bytes as they arrive. */
    public Mono<ObjectContent> countOpen(Mono<ObjectContent> read) {
        return sending(read).map(content -> {
            BucketSavings account = create();
            return new ObjectContent(
                    content.head(),
                    content.range(),
                    content.body().doOnNext(piece -> account.fetched(piece.readableBytes())));
        });
    }

    /** Counts a HEAD when it is subscribed to. */
    public Mono<HeadResult> countHead(Mono<HeadResult> head) {
        return sending(head);
    }

    private <T> Mono<T> sending(Mono<T> request) {
        return Mono.defer(() -> {
            Optional<BucketSavings> existing = find();
            existing.ifPresent(BucketSavings::sent);
            return existing.isPresent() ? request : request.doOnNext(created -> create().sent());
        });
    }
}
