package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import io.millrace.gateway.jobs.plan.PlanItem.There;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;

/**
 * Goes through the lists of a source and of a target side by side, so that nothing has to be asked of a single object. Both are in
 * the order of their names, and so are the names without what they begin with, which is where it differs.
 */
final class ListComparison implements Plan {
    /** Items of each list that are held to be compared. */
    private static final int HELD = 256;

    private final Plan source;
    private final Plan target;
    private final PrefixRenaming names;
    private final boolean extras;

    /**
     * @param extras whether what is only in the target is told too
     */
    ListComparison(Plan source, Plan target, PrefixRenaming names, boolean extras) {
        this.source = source;
        this.target = target;
        this.names = names;
        this.extras = extras;
    }

    /** An item of either list. */
    private record Side(String name, boolean ofSource, Listed listed) {}

    @Override
    public Flux<PlanItem> from(Optional<String> position) {
        Flux<Side> ofSource = sides(source, position, names.from(), true);
        Flux<Side> there = sides(target, position, names.to(), false);
        // A source that is empty all of a sudden is no reason to delete everything.
        Flux<Side> here = position.isPresent()
                ? ofSource
                : ofSource.switchIfEmpty(Flux.error(new PlanException("its selection names no object")));
        return Flux.mergeComparing(HELD, Comparator.comparing(Side::name, ObjectKey.UTF8_ORDER), here, there)
                .bufferUntilChanged(Side::name)
                .map(this::item)
                .filter(item -> extras || !item.isExtra());
    }

    /** A position is a name without what it begins with. */
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
