package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import io.millrace.gateway.jobs.plan.PlanItem.There;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;

/**
 * Merges the listings of a source and a target, so that no object needs a request of its own. Both listings are ordered
 * by key, and so are the names without their different prefixes.
 *
 * @param extras true to emit objects that only the target has
 */
record ListingComparisonPlan(Plan source, Plan target, PrefixRenaming names, boolean extras) implements Plan {
    /** Items of each listing that are buffered. */
    private static final int HELD = 256;

    /** An item of either listing. */
    private record Side(String name, boolean ofSource, Listed listed) {}

    @Override
    public Flux<PlanItem> from(Optional<String> position) {
        Flux<Side> ofSource = sides(source, position, names.from(), true);
        Flux<Side> targets = sides(target, position, names.to(), false);
        // A source that is suddenly empty must not delete the whole target.
        Flux<Side> here = position.isPresent()
                ? ofSource
                : ofSource.switchIfEmpty(Flux.error(new PlanException("its selection has no objects")));
        return Flux.mergeComparing(HELD, Comparator.comparing(Side::name, ObjectKey.UTF8_ORDER), here, targets)
                .bufferUntilChanged(Side::name)
                .map(this::item)
                .filter(item -> extras || !item.isExtra());
    }

    /** Positions are names without their prefix. */
    private static Flux<Side> sides(Plan plan, Optional<String> position, String prefix, boolean ofSource) {
        return plan.from(position.map(name -> prefix + name))
                .map(item -> new Side(
                        item.key().value().substring(prefix.length()),
                        ofSource,
                        item.listed().orElseThrow()));
    }

    private PlanItem item(List<Side> sides) {
        String name = sides.get(0).name();
        return new PlanItem(
                new ObjectKey(names.from() + name).value(),
                Optional.empty(),
                listed(sides, true),
                Optional.of(new There(listed(sides, false))),
                name);
    }

    private static Optional<Listed> listed(List<Side> sides, boolean ofSource) {
        return sides.stream()
                .filter(side -> side.ofSource() == ofSource)
                .map(Side::listed)
                .findFirst();
    }
}
