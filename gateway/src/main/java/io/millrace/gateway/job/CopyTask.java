package io.millrace.gateway.job;

import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.job.plan.Item;
import io.millrace.gateway.job.plan.Item.Listed;
import io.millrace.gateway.job.plan.Item.There;
import io.millrace.gateway.job.plan.Renaming;
import io.millrace.gateway.write.CopySources;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Carries an object to another bucket, if the target does not have it; or deletes what only the target has. Writes go through the
 * same fence as those of clients.
 */
final class CopyTask implements ObjectTask {
    private final BucketView from;
    private final BucketView to;
    private final JobSpec spec;
    private final Renaming names;
    private final JobWrites writes;
    private final ObjectCopies copies;
    private final Instant begun;

    /** @param begun when the job began: what the target got since then may be its work */
    CopyTask(
            BucketView from,
            BucketView to,
            JobSpec spec,
            Renaming names,
            JobWrites writes,
            ObjectCopies copies,
            Instant begun) {
        this.from = from;
        this.to = to;
        this.spec = spec;
        this.names = names;
        this.writes = writes;
        this.copies = copies;
        this.begun = begun.truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public Mono<Ended> run(Item item, boolean doubtful, Transfer transfer) {
        return Mono.defer(() -> {
            ObjectRef target = to.at(names.renamed(item.key()));
            if (item.isExtra()) {
                return delete(target);
            }
            boolean mayBeThere = doubtful || spec.which() != Which.ALL;
            return mayBeThere
                    ? there(item, target, doubtful)
                            .flatMap(there -> copyUnlessThere(item, target, there, doubtful, transfer))
                    : copy(item, target, transfer);
        });
    }

    /** What the target has: as the list told it, unless it may have been written since. */
    private Mono<There> there(Item item, ObjectRef target, boolean doubtful) {
        if (item.there().isPresent() && !doubtful) {
            return Mono.just(item.there().get());
        }
        return head(to, target)
                .map(found -> new There(Optional.of(found)))
                .onErrorResume(Failures::isAbsent, absent -> Mono.just(new There(Optional.empty())));
    }

    private Mono<Ended> copyUnlessThere(Item item, ObjectRef target, There there, boolean doubtful, Transfer transfer) {
        if (there.listed().isEmpty()) {
            return copy(item, target, transfer);
        }
        Listed found = there.listed().get();
        return source(item).flatMap(source -> {
            if (doubtful && isOurs(source, found)) {
                return Mono.just(Ended.done(source.size(), 0));
            }
            boolean wanted = switch (spec.which()) {
                case NEW -> false;
                case CHANGED ->
                    found.size() != source.size() || source.lastModified().isAfter(found.lastModified());
                case ALL -> true;
            };
            return wanted ? copy(item, target, transfer) : Mono.just(Ended.skipped(source.size(), "the target has it"));
        });
    }

    /** Whether this job has written it before it was interrupted. */
    private boolean isOurs(Listed source, Listed found) {
        boolean same = source.eTag().isPresent() && source.eTag().equals(found.eTag());
        return source.size() == found.size() && (same || !found.lastModified().isBefore(begun));
    }

    private Mono<Listed> source(Item item) {
        return Mono.justOrEmpty(item.listed()).switchIfEmpty(Mono.defer(() -> head(from, from.at(item.key()))));
    }

    private static Mono<Listed> head(BucketView bucket, ObjectRef object) {
        return bucket.backend().head(ReadRequest.of(object)).map(found -> Listed.of(found.head()));
    }

    private Mono<Ended> copy(Item item, ObjectRef target, Transfer transfer) {
        CopySource what = new CopySource(from.at(item.key()), Optional.empty(), Conditions.NONE);
        return copies.copy(item.name(), new CopySources.Source(from, what), to, target, transfer);
    }

    private Mono<Ended> delete(ObjectRef target) {
        Deletion deletion = Deletion.of(target);
        return writes.fenced(to, target, to.backend().delete(deletion, HeaderList.EMPTY))
                .map(deleted -> Ended.done(0, 0));
    }
}
