package io.millrace.gateway.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.store.LowWatermark.Position;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A watermark that is too high loses objects; one that is too low repeats them. */
class LowWatermarkTest {
    @Test
    void advancesOverContiguousEndedObjects() {
        LowWatermark mark = new LowWatermark(null, List.of(), 0);
        Position a = enter(mark, "a");
        Position b = enter(mark, "b");
        Position c = enter(mark, "c");

        mark.end(b);
        assertThat(mark.position()).isNull();
        assertThat(mark.beyond()).containsExactly("b");
        mark.end(a);
        assertThat(mark.position()).isEqualTo("b");
        assertThat(mark.beyond()).isEmpty();
        mark.end(c);
        assertThat(mark.position()).isEqualTo("c");
    }

    @Test
    void skipsObjectsEndedBeforeRestart() {
        LowWatermark mark = new LowWatermark("a", List.of("c"), 1);
        Position b = enter(mark, "b");

        assertThat(mark.enter(item("c"))).isNull();
        assertThat(mark.beyond()).containsExactly("c");
        mark.end(b);

        assertThat(mark.position()).isEqualTo("c");
        assertThat(mark.beyond()).isEmpty();
    }

    @Test
    void doubtsAsManyUnendedObjectsAsWereUnderWay() {
        LowWatermark mark = new LowWatermark("a", List.of("c"), 2);

        Position b = enter(mark, "b");
        mark.enter(item("c"));
        Position d = enter(mark, "d");
        Position e = enter(mark, "e");

        assertThat(List.of(b, d)).allMatch(Position::isDoubtful);
        assertThat(e.isDoubtful()).isFalse();
    }

    @Test
    void isFullWithAWindowOfObjects() {
        LowWatermark mark = new LowWatermark(null, List.of(), 0);
        Position first = enter(mark, "first");
        for (int i = 1; i < LowWatermark.WINDOW; i++) {
            mark.end(enter(mark, "k" + i));
        }

        assertThat(mark.isFull()).isTrue();
        mark.end(first);
        assertThat(mark.isFull()).isFalse();
    }

    /** In any order of ends and with any interruption, each object is processed, and ended objects are not repeated. */
    @Test
    void anyInterruptionNeitherLosesNorRepeatsObjects() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Set<String> ended = new HashSet<>();
            LowWatermark mark = new LowWatermark(null, List.of(), 0);
            while (ended.size() < 100) {
                String behind = Objects.requireNonNullElse(mark.position(), "");
                mark = new LowWatermark(mark.position(), mark.beyond(), 8);
                run(mark, behind, ended, random);
            }
            assertThat(mark.position()).as("seed %d", seed).isEqualTo("k099");
        }
    }

    private static void run(LowWatermark mark, String behind, Set<String> ended, Random random) {
        List<Position> underWay = new ArrayList<>();
        int interruptedAt = random.nextInt(150);
        int step = 0;
        for (int i = 0; i < 100 && step++ < interruptedAt; i++) {
            String key = "k%03d".formatted(i);
            if (key.compareTo(behind) > 0) {
                Position place = mark.enter(item(key));
                if (place != null) {
                    underWay.add(place);
                }
            }
            while (underWay.size() > 8 || (i == 99 && !underWay.isEmpty())) {
                Position done = underWay.remove(random.nextInt(underWay.size()));
                assertThat(ended.add(done.item().key().value())).isTrue();
                mark.end(done);
            }
        }
    }

    private static Position enter(LowWatermark mark, String key) {
        return Objects.requireNonNull(mark.enter(item(key)));
    }

    private static PlanItem item(String key) {
        return new PlanItem(new ObjectKey(key), Optional.empty(), key);
    }
}
