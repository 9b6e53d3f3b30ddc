package io.millrace.gateway.jobs;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PrefixRenaming;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CacheBackendComparison;
import io.millrace.kit.async.RateLimiter;
import java.security.MessageDigest;
import reactor.core.publisher.Mono;

/**
 * Job task for one object: compares a copy with its source, byte by byte.
 *
 * @param bandwidth limits the bytes read from both
 */
record VerifyCopyTask(BucketView from, BucketView to, PrefixRenaming names, RateLimiter bandwidth)
        implements ObjectTask {
    @Override
    public Mono<TaskResult> run(PlanItem item, boolean mayBeDone, ObjectAttemptProgress transfer) {
        return Mono.defer(() -> {
            if (item.there().isPresent() && item.there().get().listed().isEmpty()) {
                return Mono.just(TaskResult.failed(item.size(), "the target does not have it"));
            }
            ObjectRef target = to.at(names.renamed(item.key()));
            return open(from, from.at(item.key()))
                    .flatMap(source -> open(to, target)
                            .flatMap(copy -> compare(source, copy))
                            .onErrorResume(FailureClassifier::isAbsent, absent -> {
                                source.discard();
                                return Mono.just(TaskResult.failed(source.length(), "the target does not have it"));
                            }));
        });
    }

    private static Mono<ObjectContent> open(BucketView bucket, ObjectRef object) {
        return bucket.backend().open(ReadRequest.of(object)).doOnDiscard(ObjectContent.class, ObjectContent::discard);
    }

    private Mono<TaskResult> compare(ObjectContent source, ObjectContent copy) {
        if (source.length() != copy.length()) {
            source.discard();
            copy.discard();
            return Mono.just(TaskResult.failed(
                    source.length(),
                    "the target has %d bytes of it, the source %d".formatted(copy.length(), source.length())));
        }
        return Mono.zip(
                        CacheBackendComparison.digest(bandwidth.paced(source.body())),
                        CacheBackendComparison.digest(bandwidth.paced(copy.body())),
                        (a, b) -> MessageDigest.isEqual(a, b))
                .map(same -> same
                        ? TaskResult.done(source.length(), 2 * source.length())
                        : TaskResult.failed(source.length(), "the target has other bytes"));
    }
}
