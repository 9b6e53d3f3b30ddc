package io.millrace.gateway.job;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.freshness.CachedBytes;
import io.millrace.gateway.freshness.CachedBytes.Compared;
import io.millrace.gateway.freshness.Residents;
import io.millrace.gateway.job.plan.Item;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/** Holds what is cached of an object against its backend; what differs, is damaged or cannot be read is dropped, and counts as a failure. */
final class VerifyCachedTask implements ObjectTask {
    private final Residents residents;
    private final CachedBytes bytes;
    private final BucketView bucket;
    private final Pace bandwidth;

    /** @param bandwidth of what is asked of the backend */
    VerifyCachedTask(Residents residents, CachedBytes bytes, BucketView bucket, Pace bandwidth) {
        this.residents = residents;
        this.bytes = bytes;
        this.bucket = bucket;
        this.bandwidth = bandwidth;
    }

    @Override
    public Mono<Ended> run(Item item, boolean doubtful, Transfer transfer) {
        return Mono.defer(() -> residents.find(bucket, bucket.at(item.key()), item.versionId()))
                .flatMap(this::compare)
                .defaultIfEmpty(Ended.skipped(item.size(), "it is not cached"));
    }

    private Mono<Ended> compare(ObjectMetadata head) {
        Found found = new Found();
        return bytes.compare(bucket, head, bandwidth::take)
                .doOnNext(found::add)
                .then(Mono.fromSupplier(() -> ended(head, found.all)))
                .onErrorResume(VerifyCachedTask::isOld, old -> {
                    residents.evict(head);
                    return Mono.just(
                            isBad(found.all)
                                    ? ended(head, found.all)
                                    : Ended.skipped(
                                            head.size(), "the backend has another version now: it was evicted"));
                })
                // What was dropped is not found bad by another try.
                .onErrorResume(
                        failure ->
                                isBad(found.all) && Failures.ofTheJob(failure).isEmpty(),
                        failure -> Mono.just(Ended.failed(
                                head.size(),
                                "%s; the rest was not compared: %s"
                                        .formatted(reason(found.all), Failures.text(failure)))));
    }

    /** What was found of one block after the other. */
    private static final class Found {
        private volatile Compared all = Compared.NONE;

        void add(Compared one) {
            all = all.plus(one);
        }
    }

    private static Ended ended(ObjectMetadata head, Compared found) {
        return isBad(found) ? Ended.failed(head.size(), reason(found)) : Ended.done(found.compared(), found.compared());
    }

    private static boolean isBad(Compared found) {
        return found.wrong() + found.damaged() + found.unreadable() > 0;
    }

    private static String reason(Compared found) {
        List<String> reasons = new ArrayList<>();
        if (found.wrong() > 0) {
            reasons.add(
                    "%d of its cached blocks differed from the backend's, and were dropped".formatted(found.wrong()));
        }
        if (found.damaged() > 0) {
            reasons.add("%d of its blocks were damaged in the cache, and were dropped".formatted(found.damaged()));
        }
        if (found.unreadable() > 0) {
            reasons.add("%d of its blocks could not be read from their disk, and were dropped"
                    .formatted(found.unreadable()));
        }
        return String.join("; ", reasons);
    }

    private static boolean isOld(Throwable failure) {
        return Failures.isAbsent(failure)
                || (failure instanceof BackendException backend && backend.kind() == Kind.VERSION_CHANGED);
    }
}
