package io.millrace.gateway.jobs.plan;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A comparison of listings by which extra objects are deleted, up to a bound: a source that does not list all it has,
 * because it is half broken, must not empty the target. Both listings are read once before, and nothing is emitted if
 * too much would be deleted; if they change meanwhile, it ends at the bound. That of the first run holds for the later
 * ones of a job.
 *
 * @param most the most objects to delete; half of those of the target if empty, or {@value #SMALL}
 * @param earlier the budget of an earlier run of the job
 * @param begin stores the budget before the first object
 */
record BoundedDeletionPlan(
        Plan compared, OptionalInt most, Optional<DeletionBudget> earlier, Function<DeletionBudget, Mono<Void>> begin)
        implements Plan {
    /** So many may be deleted from any target: a small one may change as a whole. */
    static final long SMALL = 10;

    /** The objects of the target, and those of them that the source lacks. For one subscriber. */
    private static final class Tally {
        private long targets;
        private long extras;

        void add(PlanItem item) {
            if (item.there().flatMap(PlanItem.There::listed).isPresent()) {
                targets++;
                extras += item.isExtra() ? 1 : 0;
            }
        }
    }

    @Override
    public Flux<PlanItem> from(Optional<String> position) {
        return compared.from(Optional.empty())
                .collect(Tally::new, Tally::add)
                .flatMapMany(before -> within(before, position));
    }

    private Flux<PlanItem> within(Tally before, Optional<String> position) {
        DeletionBudget budget = earlier.orElseGet(() -> new DeletionBudget(bound(before.targets), 0));
        if (budget.spent() + before.extras > budget.most()) {
            return Flux.error(new PlanException(refusal(before)));
        }
        Tally now = new Tally();
        return begin.apply(budget).thenMany(compared.from(position).doOnNext(item -> {
            now.add(item);
            if (budget.spent() + now.extras > budget.most()) {
                throw new PlanException(
                        ("it has deleted the %d objects that it may, and the source lacks more now than when the job"
                                        + " began")
                                .formatted(budget.most()));
            }
        }));
    }

    private long bound(long targets) {
        return most.isPresent() ? most.getAsInt() : Math.max(SMALL, targets / 2);
    }

    private String refusal(Tally before) {
        return ("it would delete %d objects of the target, %s. Look whether the source lists all it has;"
                        + " if those objects are to go, submit the job with maxDelete %d (--max-delete %d)")
                .formatted(before.extras, reason(before), before.extras, before.extras);
    }

    private String reason(Tally before) {
        if (earlier.isPresent()) {
            return "and has deleted %d, more than the %d that it may in all its runs, so it does not go on"
                    .formatted(earlier.get().spent(), earlier.get().most());
        }
        return most.isPresent()
                ? "more than maxDelete allows (%d), so it does not begin".formatted(most.getAsInt())
                : "more than half of the %d there, so it does not begin".formatted(before.targets);
    }
}
