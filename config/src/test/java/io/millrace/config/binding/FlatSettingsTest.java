package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.millrace.config.FlatSettings;
import io.millrace.config.Reloadable;
import io.millrace.config.SettingDescription;
import io.millrace.config.binding.SettingChange.Kind;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import io.millrace.config.problem.SettingsProblem;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that a record's keys stand among those of another, wherever keys are read or listed. */
class FlatSettingsTest {
    record Limits(
            @SettingDescription(value = "The most.", defaultValue = "9")
            int mostTries,

            @SettingDescription("A retry.") Retry retry,

            @Reloadable @SettingDescription(value = "A note.", defaultValue = "none")
            String note)
            implements SelfValidatingSettings {
        @Override
        public void check(ProblemReporter problems) {
            if (mostTries < 1) {
                problems.add("most-tries", mostTries, "is less than 1", "write 1 or more");
            }
        }
    }

    record Retry(
            @SettingDescription(value = "A pause.", defaultValue = "1")
            int pause) {}

    record Store(
            @SettingDescription("A path.") String path,

            @FlatSettings(defaults = @FlatSettings.Default(key = "most-tries", value = "5"))
            Limits limits,

            @SettingDescription("A name.") Optional<String> name) {}

    record Plain(@FlatSettings Limits limits) {}

    record Stores(
            @SettingDescription("Stores.") Map<String, Store> stores,
            @SettingDescription("Plain.") Plain plain) {}

    private static final Limits PLAIN = new Limits(9, new Retry(1), "none");

    @Test
    void keysAreReadFromBesideTheOthersAndMayHaveAnotherDefault() {
        assertThat(read("stores: { a: { path: p, retry: { pause: 2 }, note: n, name: x } }"))
                .isEqualTo(stores(5, 2, "n", Optional.of("x")));
        assertThat(read("stores: { a: { path: p } }")).isEqualTo(stores(5, 1, "none", Optional.empty()));
    }

    @Test
    void environmentSetsKeysAndKeysBelowThem() {
        assertThat(SettingsFixture.good(
                        "stores: { a: { path: p } }",
                        Stores.class,
                        Map.of("MILLRACE_STORES_A_MOST_TRIES", "7", "MILLRACE_STORES_A_RETRY_PAUSE", "8")))
                .isEqualTo(stores(7, 8, "none", Optional.empty()));
    }

    @Test
    void problemsHaveTheKeyThatTheOperatorWrote() {
        assertThat(SettingsFixture.only("stores: { a: { path: p, most-tries: 0 } }", Stores.class))
                .returns("stores.a.most-tries", SettingsProblem::key);
        assertThat(SettingsFixture.only("stores: { a: { path: p, most-tries: x } }", Stores.class))
                .returns("stores.a.most-tries", SettingsProblem::key);
        assertThat(SettingsFixture.only("stores: { a: { path: p, limits: { note: n } } }", Stores.class))
                .returns("stores.a.limits", SettingsProblem::key);
    }

    @Test
    void effectiveSettingsListThemInTheirOrder() {
        assertThat(EffectiveSettingsLister.of(stores(5, 1, "n", Optional.of("x"))
                        .stores()
                        .values()
                        .iterator()
                        .next()))
                .containsExactly(
                        new EffectiveSetting("path", "p"),
                        new EffectiveSetting("most-tries", "5"),
                        new EffectiveSetting("retry.pause", "1"),
                        new EffectiveSetting("note", "n"),
                        new EffectiveSetting("name", "x"));
    }

    @Test
    void aReloadAppliesWhatIsReloadable() {
        Plain before = new Plain(PLAIN);
        Plain after = new Plain(new Limits(8, new Retry(1), "new"));

        assertThat(ReloadableSettings.combine(before, after)).isEqualTo(new Plain(new Limits(9, new Retry(1), "new")));
        assertThat(SettingsComparison.between(before, after))
                .containsExactly(
                        new SettingChange("most-tries", Kind.CHANGED, "9", "8", true),
                        new SettingChange("note", Kind.CHANGED, "none", "new", false));
    }

    @Test
    void referenceHasThemInTheSectionOfTheRecord() {
        assertThat(SettingsReferenceGenerator.markdown(Stores.class, SampleSettings.VARIANTS))
                .contains("| `path` | text | required | `MILLRACE_STORES_<NAME>_PATH` | A path. |\n"
                        + "| `most-tries` | whole number | `5` | `MILLRACE_STORES_<NAME>_MOST_TRIES` | The most. |\n"
                        + "| `retry` | [keys](#storesnameretry) | – | – | A retry. |\n")
                .contains("- `stores.<name>.note`\n")
                .contains("| `most-tries` | whole number | `9` | `MILLRACE_PLAIN_MOST_TRIES` | The most. |\n")
                .contains("## `stores.<name>.retry`")
                .doesNotContain("`limits`");
    }

    record Doubled(
            @FlatSettings Limits limits,

            @SettingDescription(value = "Again.", defaultValue = "x")
            String note) {}

    record Misnamed(
            @FlatSettings(defaults = @FlatSettings.Default(key = "mst-tries", value = "5"))
            Limits limits) {}

    @Test
    void aRecordThatCannotBeFlatIsAProgrammingError() {
        for (Class<? extends Record> wrong : List.of(Doubled.class, Misnamed.class)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> SettingsReferenceGenerator.markdown(wrong, SampleSettings.VARIANTS));
        }
    }

    private static Stores read(String yaml) {
        return SettingsFixture.good(yaml, Stores.class);
    }

    private static Stores stores(int mostTries, int pause, String note, Optional<String> name) {
        return new Stores(
                Map.of("a", new Store("p", new Limits(mostTries, new Retry(pause), note), name)), new Plain(PLAIN));
    }
}
