package io.millrace.gateway.saving;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.SelectedHead;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * The way to a bucket's account. That begins when something of the bucket is seen for the first time: anybody can name buckets, and a
 * name alone is to cost nothing. Safe for use by any number of threads.
 */
public final class BucketAccount {
    private final Accounts accounts;
    private final String backend;
    private final BucketName bucket;

    BucketAccount(Accounts accounts, String backend, BucketName bucket) {
        this.accounts = accounts;
        this.backend = backend;
        this.bucket = bucket;
    }

    /** The account, if it was begun. */
    public Optional<Account> find() {
        return accounts.find(backend, bucket);
    }

    /** The account of a bucket that is known to be there. */
    public Account begin() {
        return accounts.begin(backend, bucket);
    }

    /** Counts a read of the backend, when it is subscribed to, and its bytes as they come. */
    public Mono<ObjectContent> opening(Mono<ObjectContent> read) {
        return sending(read).map(content -> {
            Account account = begin();
            return new ObjectContent(
                    content.head(),
                    content.range(),
                    content.body().doOnNext(piece -> account.fetched(piece.readableBytes())));
        });
    }

    /** The same of a question without bytes. */
    public Mono<SelectedHead> asking(Mono<SelectedHead> question) {
        return sending(question);
    }

    private <T> Mono<T> sending(Mono<T> request) {
        return Mono.defer(() -> {
            Optional<Account> known = find();
            known.ifPresent(Account::sent);
            return known.isPresent() ? request : request.doOnNext(answer -> begin().sent());
        });
    }
}
