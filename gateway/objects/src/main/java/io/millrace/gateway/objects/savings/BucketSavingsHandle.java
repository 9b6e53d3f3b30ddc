package io.millrace.gateway.objects.savings;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.object.BucketName;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * The way to a bucket's account. That begins when something of the bucket is seen for the first time: anybody can name buckets, and a
 * name alone is to cost nothing. Safe for use by any number of threads.
 */
public final class BucketSavingsHandle {
    private final SavingsLedger accounts;
    private final String backend;
    private final BucketName bucket;

    BucketSavingsHandle(SavingsLedger accounts, String backend, BucketName bucket) {
        this.accounts = accounts;
        this.backend = backend;
        this.bucket = bucket;
    }

    /** The account, if it was begun. */
    public Optional<BucketSavings> find() {
        return accounts.find(backend, bucket);
    }

    /** The account of a bucket that is known to be there. */
    public BucketSavings begin() {
        return accounts.begin(backend, bucket);
    }

    /** Counts a read of the backend, when it is subscribed to, and its bytes as they come. */
    public Mono<ObjectContent> opening(Mono<ObjectContent> read) {
        return sending(read).map(content -> {
            BucketSavings account = begin();
            return new ObjectContent(
                    content.head(),
                    content.range(),
                    content.body().doOnNext(piece -> account.fetched(piece.readableBytes())));
        });
    }

    /** The same of a question without bytes. */
    public Mono<HeadResult> asking(Mono<HeadResult> question) {
        return sending(question);
    }

    private <T> Mono<T> sending(Mono<T> request) {
        return Mono.defer(() -> {
            Optional<BucketSavings> known = find();
            known.ifPresent(BucketSavings::sent);
            return known.isPresent() ? request : request.doOnNext(answer -> begin().sent());
        });
    }
}
