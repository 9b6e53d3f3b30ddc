package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.PlanException;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import io.millrace.gateway.jobs.store.JobProgress;
import java.time.Instant;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Lists the shards of a pack, each with the size of its tar; a position is the number of the next one. Before the first
 * one it makes the arrangement, once for all who list it and all runs of the job. It tells the owner which numbers the
 * shards have that were appended.
 */
final class PackPlan implements Plan, JobOutlook {
    private static final int PAGE = 1000;

    private final boolean isListed;
    private final JobSpec.Shards shards;
    private final ShardArrangement arrangement;
    private final Flux<Boolean> arranged;

    /**
     * Creates a plan.
     *
     * @param selection the objects to pack
     * @param isListed whether they are in the order of their keys
     * @param begin number of the first shard, once it is needed
     * @param stripped see {@link TarLayout}
     */
    PackPlan(
            Plan selection,
            boolean isListed,
            Mono<Long> begin,
            JobSpec.Shards shards,
            int stripped,
            ShardArrangement arrangement) {
        this.isListed = isListed;
        this.shards = shards;
        this.arrangement = arrangement;
        // It ends with the last of those who wait for it: a run that stops leaves nothing that writes.
        this.arranged = arrangement
                .exists()
                .flatMap(exists -> exists
                        ? Mono.just(true)
                        : arrange(selection, begin, stripped).thenReturn(true))
                .flux()
                .replay(1)
                .refCount();
    }

    @Override
    public Flux<PlanItem> from(Optional<String> position) {
        Mono<Void> ready = position.isEmpty() ? arranged.then() : requireArranged();
        long first = position.map(Long::parseLong).orElse(0L);
        return ready.thenMany(Flux.defer(() -> shardsFrom(first)));
    }

    /** Another arrangement than that by which shards were made could leave samples out. */
    private Mono<Void> requireArranged() {
        return arrangement
                .exists()
                .filter(exists -> exists)
                .switchIfEmpty(Mono.error(() -> new PlanException(
                        "the arrangement of its shards is no longer in the data folder: submit the job again")))
                .then();
    }

    private Mono<Void> arrange(Plan selection, Mono<Long> begin, int stripped) {
        return begin.flatMap(number -> Mono.usingWhen(
                arrangement.thread().call(() -> new ArrangementWriter(arrangement, shards, stripped, isListed, number)),
                writer -> arrange(selection, writer),
                writer -> arrangement.thread().run(writer::close)));
    }

    private Mono<Void> arrange(Plan selection, ArrangementWriter writer) {
        Flux<Void> listed = selection
                .from(Optional.empty())
                .buffer(PAGE)
                .concatMap(items -> arrangement.thread().run(() -> writer.add(items)), 1);
        Flux<Void> shuffled = Flux.range(0, SampleShuffle.SLICES)
                .concatMap(number -> arrangement.thread().run(() -> writer.sort(number)), 1);
        return listed.then(arrangement.thread().run(writer::endListing))
                .thenMany(shuffled)
                .then(arrangement.thread().run(writer::finish));
    }

    private Flux<PlanItem> shardsFrom(long first) {
        return arrangement
                .shards(first, PAGE)
                .expand(page -> page.size() < PAGE
                        ? Mono.empty()
                        : arrangement.shards(page.get(PAGE - 1).number() + 1, PAGE))
                .concatMapIterable(page -> page, 1)
                .map(this::item);
    }

    private PlanItem item(ShardArrangement.Shard shard) {
        return new PlanItem(
                shards.names().tar(shard.number()),
                Optional.empty(),
                Optional.of(new Listed(shard.bytes(), Optional.empty(), Instant.EPOCH)),
                Optional.empty(),
                Long.toString(shard.number() + 1));
    }

    @Override
    public Mono<String> ended(JobProgress all) {
        return shards.append()
                // What cannot be read now is no failure of a job that is done.
                ? arrangement
                        .shards(0, 1)
                        .map(page -> numbers(page.get(0).number(), all))
                        .onErrorReturn("")
                : Mono.just("");
    }

    /** Returns the names of the shards. What is there of one that failed is not to be deleted with the others. */
    private String numbers(long first, JobProgress all) {
        String begin = shards.names().tar(first);
        String end = shards.names().tar(first + all.found() - 1);
        String names = begin.equals(end) ? begin : "%s to %s".formatted(begin, end);
        return all.failed() == 0
                ? "it has appended " + names
                : "its shards are %s; what the target has of those that failed may be of another pack".formatted(names);
    }

    /** Returns the number of the shard that an item stands for. */
    static long number(PlanItem item) {
        return Long.parseLong(item.position()) - 1;
    }
}
