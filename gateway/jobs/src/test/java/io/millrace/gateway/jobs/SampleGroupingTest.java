package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.gateway.archive.SampleName;
import io.millrace.gateway.jobs.plan.PlanException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that samples are those of WebDataset, and that none is divided. */
class SampleGroupingTest {
    @Test
    void neighboursAreOneSample() {
        assertThat(samples("a-1.jpg", "a.jpg", "a.json", "b", "c/a.jpg", "c/a.m/x.jpg", "c/b.jpg"))
                .containsExactly(
                        List.of("a-1.jpg"),
                        List.of("a.jpg", "a.json"),
                        List.of("b"),
                        List.of("c/a.jpg"),
                        List.of("c/a.m/x.jpg"),
                        List.of("c/b.jpg"));
    }

    @Test
    void fileWithoutDotIsASampleOfItsOwn() {
        assertThat(samples("a", "a.jpg", "a.json", "b", "b-1.jpg", "b.jpg", "b.m/1.jpg", "c", "c.m/1.jpg", "c.txt"))
                .containsExactly(
                        List.of("a"),
                        List.of("a.jpg", "a.json"),
                        List.of("b"),
                        List.of("b-1.jpg"),
                        List.of("b.jpg"),
                        List.of("b.m/1.jpg"),
                        List.of("c"),
                        List.of("c.m/1.jpg"),
                        List.of("c.txt"));
    }

    @Test
    void sampleAroundFolderIsRefused() {
        assertThatThrownBy(() -> samples("a.jpg", "a.m/1.jpg", "a.m/1.x/2.jpg", "a.m/2.jpg", "a.txt"))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("sample 'a.' are listed before and behind a folder");
    }

    @Test
    void sampleHasAtMostAThousandFiles() {
        SampleGrouping grouping = new SampleGrouping();
        for (int i = 0; i < SampleName.MOST_MEMBERS; i++) {
            grouping.add("a." + i, member("a." + i));
        }

        assertThatThrownBy(() -> grouping.add("a.x", member("a.x")))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("sample 'a.' has more than 1000 files");
        assertThat(grouping.add("b.x", member("b.x"))).hasSize(SampleName.MOST_MEMBERS);
    }

    private static List<List<String>> samples(String... names) {
        SampleGrouping grouping = new SampleGrouping();
        List<List<PackedMember>> samples = new ArrayList<>();
        for (String name : names) {
            samples.add(grouping.add(name, member(name)));
        }
        samples.add(grouping.end());
        return samples.stream()
                .filter(sample -> !sample.isEmpty())
                .map(sample -> sample.stream().map(PackedMember::key).toList())
                .toList();
    }

    private static PackedMember member(String key) {
        return new PackedMember(key, 1, "", 0);
    }
}
