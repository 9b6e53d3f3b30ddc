package io.millrace.gateway.jobs.plan;

import java.util.Optional;
import java.util.OptionalInt;
import reactor.core.publisher.Flux;

/**
 * A comparison of listings by which extra objects are deleted, up to a bound: a source that does not list all it has, because it is
 * half broken, must not empty the target. Both listings are read once before, and nothing is emitted if too much would be deleted; if
 * they change meanwhile, it ends at the bound.
 */
final class BoundedDeletionPlan implements Plan {
    /** So many may be deleted from any target: a small one may change as a whole. */
    static final long SMALL = 10;

    private final Plan compared;
    private final OptionalInt most;

    /**
     * @param most the most objects to delete; half of those of the target if empty, or {@value #SMALL}
     */
    BoundedDeletionPlan(Plan compared, OptionalInt most) {
        this.compared = compared;
        this.most = most;
    }

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
        long bound = bound(before.targets);
        if (before.extras > bound) {
            return Flux.error(new PlanException(refusal(before)));
        }
        Tally now = new Tally();
        return compared.from(position).doOnNext(item -> {
            now.add(item);
            if (now.extras > bound) {
                throw new PlanException(
                        "it has deleted the %d objects that it may, and the source lacks more now than when the job began"
                                .formatted(bound));
            }
        });
    }

    private long bound(long targets) {
        return most.isPresent() ? most.getAsInt() : Math.max(SMALL, targets / 2);
    }

    private String refusal(Tally before) {
        String why = most.isPresent()
                ? "more than maxDelete allows (%d)".formatted(most.getAsInt())
                : "more than half of the %d there".formatted(before.targets);
        return ("it would delete %d objects of the target, %s, so it does not begin. Look whether the source lists all it has;"
                        + " if those objects are to go, submit the job with maxDelete %d (--max-delete %d)")
                .formatted(before.extras, why, before.extras, before.extras);
    }
}
