package io.millrace.gateway.jobs;

import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.OverwriteMode;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import io.millrace.gateway.jobs.plan.PlanItem.There;
import io.millrace.gateway.jobs.plan.PrefixRenaming;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.CopyOrigin;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Job task for one object: copies it to the target bucket, subject to the overwrite mode, or deletes it there if the
 * source lacks it. Its writes use the same fence as those of clients.
 *
 * @param begun when the job first ran; objects written to the target since then may be its work
 */
record CopyTask(
        BucketView from,
        BucketView to,
        JobSpec spec,
        PrefixRenaming names,
        StoppableWrites writes,
        JobObjectCopier copies,
        Instant begun)
        implements ObjectTask {
    CopyTask {
        begun = begun.truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public Mono<TaskResult> run(PlanItem item, boolean mayBeDone, ObjectAttemptProgress transfer) {
        return Mono.defer(() -> {
            ObjectRef target = to.at(names.renamed(item.key()));
            if (item.isExtra()) {
                return delete(target);
            }
            boolean mayExist = mayBeDone || spec.overwrite() != OverwriteMode.ALWAYS;
            return mayExist
                    ? existing(item, target, mayBeDone)
                            .flatMap(existing -> copyUnlessExisting(item, target, existing, mayBeDone, transfer))
                    : copy(item, target, transfer);
        });
    }

    /** Returns the state of the target: from the listing, unless an earlier run may have written it since. */
    private Mono<There> existing(PlanItem item, ObjectRef target, boolean mayBeDone) {
        if (item.there().isPresent() && !mayBeDone) {
            return Mono.just(item.there().get());
        }
        return head(to, target)
                .map(found -> new There(Optional.of(found)))
                .onErrorResume(FailureClassifier::isAbsent, absent -> Mono.just(new There(Optional.empty())));
    }

    private Mono<TaskResult> copyUnlessExisting(
            PlanItem item, ObjectRef target, There existing, boolean mayBeDone, ObjectAttemptProgress transfer) {
        if (existing.listed().isEmpty()) {
            return copy(item, target, transfer);
        }
        Listed found = existing.listed().get();
        return source(item).flatMap(source -> {
            if (mayBeDone && isOurs(source, found)) {
                return Mono.just(TaskResult.done(source.size(), 0));
            }
            boolean wanted = switch (spec.overwrite()) {
                case IF_ABSENT -> false;
                case IF_CHANGED ->
                    found.size() != source.size() || source.lastModified().isAfter(found.lastModified());
                case ALWAYS -> true;
            };
            return wanted
                    ? copy(item, target, transfer)
                    : Mono.just(TaskResult.skipped(source.size(), "the target has it"));
        });
    }

    /** Returns true if this job wrote the object before it was interrupted. */
    private boolean isOurs(Listed source, Listed found) {
        boolean same = source.eTag().isPresent() && source.eTag().equals(found.eTag());
        return source.size() == found.size() && (same || !found.lastModified().isBefore(begun));
    }

    private Mono<Listed> source(PlanItem item) {
        return Mono.justOrEmpty(item.listed()).switchIfEmpty(Mono.defer(() -> head(from, from.at(item.key()))));
    }

    private static Mono<Listed> head(BucketView bucket, ObjectRef object) {
        return bucket.backend().head(ReadRequest.of(object)).map(found -> Listed.of(found.head()));
    }

    private Mono<TaskResult> copy(PlanItem item, ObjectRef target, ObjectAttemptProgress transfer) {
        CopySource what = new CopySource(from.at(item.key()), Optional.empty(), ReadConditions.NONE);
        return copies.copy(item, new CopyOrigin(from, what), to, target, transfer);
    }

    private Mono<TaskResult> delete(ObjectRef target) {
        Deletion deletion = Deletion.of(target);
        return writes.fenced(to, target, to.backend().delete(deletion, HeaderList.EMPTY))
                .map(deleted -> TaskResult.done(0, 0));
    }
}
