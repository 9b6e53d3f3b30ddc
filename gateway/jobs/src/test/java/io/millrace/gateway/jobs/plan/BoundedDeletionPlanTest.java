package io.millrace.gateway.jobs.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import io.millrace.gateway.jobs.plan.PlanItem.There;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** No more is deleted than the bound, which is known before the first object, or holds while the listings change. */
class BoundedDeletionPlanTest {
    private static final Listed OBJECT = new Listed(1, Optional.empty(), Instant.EPOCH);

    /** The budgets that were stored. */
    private final List<DeletionBudget> budgets = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"0, 10", "5, 10", "11, 11", "100, 100", "1000, 0"})
    void halfOfTheTargetOrAFewMayBeExtra(int shared, int extras) {
        List<PlanItem> items = items(shared, extras);

        assertThat(emitted(plan(OptionalInt.empty(), items))).isEqualTo(items);
    }

    @ParameterizedTest
    @CsvSource({"0, 11", "9, 11", "100, 102"})
    void nothingIsEmittedBeyondTheBound(int shared, int extras) {
        PlanException refusal = refusal(plan(OptionalInt.empty(), items(shared, extras)));

        assertThat(refusal)
                .hasMessageContaining("would delete %d objects".formatted(extras))
                .hasMessageContaining("of the %d there".formatted(shared + extras))
                .hasMessageContaining("--max-delete " + extras);
    }

    @Test
    void boundOfTheOwnerReplacesTheShare() {
        List<PlanItem> items = items(0, 50);

        assertThat(emitted(plan(OptionalInt.of(50), items))).hasSize(50);
        assertThat(refusal(plan(OptionalInt.of(49), items))).hasMessageContaining("maxDelete allows (49)");
        assertThat(refusal(plan(OptionalInt.of(1), items(100, 2)))).hasMessageContaining("maxDelete allows (1)");
    }

    @Test
    void objectsThatOnlyTheSourceHasDoNotCount() {
        List<PlanItem> items =
                Stream.concat(items(0, 11).stream(), absent(1000)).toList();

        assertThat(refusal(plan(OptionalInt.empty(), items))).hasMessageContaining("of the 11 there");
    }

    @Test
    void sourceThatShrinksMeanwhileEndsThePlanAtTheBound() {
        List<PlanItem> emitted = new ArrayList<>();

        PlanException end = catchThrowableOfType(
                PlanException.class,
                () -> plan(OptionalInt.empty(), items(20, 0), items(0, 20))
                        .from(Optional.empty())
                        .doOnNext(emitted::add)
                        .blockLast());

        assertThat(end).hasMessageContaining("lacks more now");
        assertThat(emitted).hasSize(10);
    }

    @Test
    void budgetOfAnEarlierRunHoldsAndIsStoredFirst() {
        DeletionBudget earlier = new DeletionBudget(15, 5);

        assertThat(emitted(plan(Optional.of(earlier), OptionalInt.empty(), items(100, 10))))
                .hasSize(110);
        assertThat(budgets).containsExactly(earlier);
        assertThat(refusal(plan(Optional.of(earlier), OptionalInt.empty(), items(100, 11))))
                .hasMessageContaining("has deleted 5, more than the 15 that it may");
        assertThat(budgets).as("nothing has begun").hasSize(1);
        assertThat(emitted(plan(OptionalInt.empty(), items(100, 10)))).hasSize(110);
        assertThat(budgets).containsExactly(earlier, new DeletionBudget(55, 0));
    }

    /** Returns a bounded plan over one whose passes differ; the last repeats. */
    @SafeVarargs
    @SuppressWarnings("varargs")
    private final Plan plan(OptionalInt most, List<PlanItem>... passes) {
        return plan(Optional.empty(), most, passes);
    }

    @SafeVarargs
    @SuppressWarnings("varargs")
    private final Plan plan(Optional<DeletionBudget> earlier, OptionalInt most, List<PlanItem>... passes) {
        List<List<PlanItem>> left = new ArrayList<>(List.of(passes));
        return PlanFactory.deletingAtMost(
                position -> Flux.defer(() -> Flux.fromIterable(left.size() > 1 ? left.remove(0) : left.get(0))),
                most,
                earlier,
                budget -> Mono.fromRunnable(() -> budgets.add(budget)));
    }

    private static List<PlanItem> items(int shared, int extras) {
        Stream<PlanItem> both = Stream.generate(() -> item(Optional.of(OBJECT), Optional.of(OBJECT)))
                .limit(shared);
        Stream<PlanItem> ofTheTarget = Stream.generate(() -> item(Optional.empty(), Optional.of(OBJECT)))
                .limit(extras);
        return Stream.concat(both, ofTheTarget).toList();
    }

    private static Stream<PlanItem> absent(int count) {
        return Stream.generate(() -> item(Optional.of(OBJECT), Optional.empty()))
                .limit(count);
    }

    private static PlanItem item(Optional<Listed> source, Optional<Listed> target) {
        return new PlanItem("key", Optional.empty(), source, Optional.of(new There(target)), "key");
    }

    private static List<PlanItem> emitted(Plan plan) {
        return plan.from(Optional.empty()).collectList().blockOptional().orElseThrow();
    }

    private static PlanException refusal(Plan plan) {
        PlanException refusal = catchThrowableOfType(PlanException.class, () -> emitted(plan));
        assertThat(refusal).isNotNull();
        return refusal;
    }
}
