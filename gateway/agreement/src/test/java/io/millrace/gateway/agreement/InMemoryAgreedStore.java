package io.millrace.gateway.agreement;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;

/** An {@link AgreedStore} of one process, which forgets all at its end. Its results come on the caller's thread. */
final class InMemoryAgreedStore implements AgreedStore {
    private final AgreedMap map = new AgreedMap();
    private final AtomicLong revisions = new AtomicLong();

    @Override
    public Mono<Long> transact(List<RevisionCompare> compares, List<Change> changes) {
        Transaction transaction = new Transaction(compares, changes);
        return Mono.fromCallable(() -> apply(transaction)).flatMap(reply -> switch (reply.status()) {
            case APPLIED -> Mono.just(reply.revision());
            case CONFLICT -> Mono.empty();
            case FULL, EXPIRED, MALFORMED -> Mono.error(new AgreedStoreException(reply.toString(), null));
        });
    }

    private synchronized TransactionReply apply(Transaction transaction) {
        long revision = revisions.incrementAndGet();
        return map.apply(new TransactionRequest(UUID.randomUUID(), revision - 1, transaction), revision);
    }

    @Override
    public Mono<List<AgreedEntry>> range(String prefix) {
        AgreedLimits.checkPrefix(prefix);
        return Mono.fromCallable(() -> map.range(prefix));
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
