package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.Reloadable;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.binding.SettingChange.Kind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests which changes are found, without secrets, and which of them a reload applies. */
class SettingsComparisonTest {
    private record Bucket(
            @SettingDescription("Its name.") String name,
            @SettingDescription("A prefix.") String prefix,

            @Reloadable(false) @SettingDescription("A quota.")
            Optional<String> quota,

            @SettingDescription("A key.") Secret key) {}

    private record Port(
            @SettingDescription("Its number.") int number,
            @Reloadable @SettingDescription("A domain.") Optional<String> domain) {}

    private record Files(
            @Reloadable @SettingDescription("A file.") String file,
            @Reloadable @SettingDescription("Another.") Optional<String> other) {}

    private record Section(@SettingDescription("Files.") Optional<Files> files) {}

    private record Whole(
            @SettingDescription("A port.") Port port,
            @Reloadable @SettingDescription("Buckets.") List<Bucket> buckets,
            @SettingDescription("Prices.") Map<String, Port> prices) {}

    private static final Bucket A = bucket("a", "x/", Optional.empty(), "secret-a");
    private static final Bucket B = bucket("b", "", Optional.of("25%"), "secret-b");
    private static final Whole BEFORE = whole(1, Optional.empty(), A, B);

    @Test
    void equalSettingsHaveNoChanges() {
        assertThat(SettingsComparison.between(
                        BEFORE, whole(1, Optional.empty(), bucket("a", "x/", Optional.empty(), "secret-a"), B)))
                .isEmpty();
        assertThat(ReloadableSettings.combine(BEFORE, whole(1, Optional.empty(), A, B)))
                .isEqualTo(BEFORE);
    }

    @Test
    void changesAreFoundByNameAndWithoutSecrets() {
        Whole after = whole(
                2,
                Optional.of("d"),
                bucket("b", "y/", Optional.of("30%"), "other"),
                bucket("c", "", Optional.empty(), "c"));

        assertThat(SettingsComparison.between(BEFORE, after))
                .containsExactly(
                        new SettingChange("port.number", Kind.CHANGED, "1", "2", true),
                        new SettingChange("port.domain", Kind.ADDED, "", "d", false),
                        new SettingChange("buckets[b].prefix", Kind.CHANGED, "", "y/", false),
                        new SettingChange("buckets[b].quota", Kind.CHANGED, "25%", "30%", true),
                        new SettingChange("buckets[b].key", Kind.CHANGED, "***", "***", false),
                        new SettingChange("buckets[c]", Kind.ADDED, "", "", false),
                        new SettingChange("buckets[a]", Kind.REMOVED, "", "", false));
    }

    @Test
    void aSectionThatChangesNeedsNoRestartButOneThatComesOrGoesDoes() {
        Section none = new Section(Optional.empty());
        Section first = new Section(Optional.of(new Files("a", Optional.empty())));
        Section second = new Section(Optional.of(new Files("b", Optional.of("c"))));

        assertThat(SettingsComparison.between(first, second))
                .containsExactly(
                        new SettingChange("files.file", Kind.CHANGED, "a", "b", false),
                        new SettingChange("files.other", Kind.ADDED, "", "c", false));
        assertThat(ReloadableSettings.combine(first, second)).isEqualTo(second);
        assertThat(SettingsComparison.between(none, second))
                .containsExactly(new SettingChange("files", Kind.ADDED, "", "", true));
        assertThat(ReloadableSettings.combine(none, second)).isEqualTo(none);
        assertThat(SettingsComparison.between(second, none))
                .containsExactly(new SettingChange("files", Kind.REMOVED, "", "", true));
        assertThat(ReloadableSettings.combine(second, none)).isEqualTo(second);
    }

    @Test
    void anotherOrderIsAChange() {
        assertThat(SettingsComparison.between(BEFORE, whole(1, Optional.empty(), B, A)))
                .containsExactly(new SettingChange("buckets", Kind.REORDERED, "", "", false));
    }

    @Test
    void aCombinationKeepsValuesThatNeedARestart() {
        Whole loaded = whole(
                2,
                Optional.of("d"),
                bucket("c", "", Optional.of("5%"), "c"),
                bucket("b", "y/", Optional.of("30%"), "other"));

        Whole combined = ReloadableSettings.combine(BEFORE, loaded);

        assertThat(combined)
                .isEqualTo(whole(
                        1,
                        Optional.of("d"),
                        bucket("c", "", Optional.empty(), "c"),
                        bucket("b", "y/", Optional.of("25%"), "other")));
        assertThat(SettingsComparison.between(combined, loaded))
                .isNotEmpty()
                .allMatch(SettingChange::needsRestart)
                .extracting(SettingChange::path)
                .containsExactly("port.number", "buckets[c].quota", "buckets[b].quota");
    }

    private static Whole whole(int port, Optional<String> domain, Bucket... buckets) {
        return new Whole(new Port(port, domain), List.of(buckets), Map.of());
    }

    private static Bucket bucket(String name, String prefix, Optional<String> quota, String key) {
        return new Bucket(name, prefix, quota, Secret.of(key));
    }
}
