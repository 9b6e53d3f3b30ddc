package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.config.SelectedByType;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariant;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.problem.SettingsException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests keys that all types of a family have. */
class SharedSettingsTest {
    private static final SettingsVariantRegistry VARIANTS = SettingsVariantRegistry.builder()
            .add("store", "file", FileStore.class)
            .addShared("store", Shared.class)
            .build();

    record FileStore(@SettingDescription("x") String path) {}

    record Shared(@SettingDescription("x") Limits limits) {}

    record Limits(
            @SettingDescription(value = "x", defaultValue = "3")
            int tries) {}

    record Stores(
            @SettingDescription("x") @SelectedByType(family = "store")
            Map<String, SettingsVariant> stores) {}

    @Test
    void everyTypeHasTheSharedKeys() throws SettingsException {
        assertThat(read("stores: { a: { type: file, path: p, limits: { tries: 5 } } }", Map.of()))
                .isEqualTo(new SettingsVariant("file", new FileStore("p"), Optional.of(new Shared(new Limits(5)))));
        assertThat(read("stores: { a: { type: file, path: p } }", Map.of()).shared())
                .contains(new Shared(new Limits(3)));
    }

    @Test
    void environmentSetsSharedKeys() throws SettingsException {
        SettingsVariant store =
                read("stores: { a: { type: file, path: p } }", Map.of("MILLRACE_STORES_A_LIMITS_TRIES", "7"));

        assertThat(store.shared()).contains(new Shared(new Limits(7)));
    }

    @Test
    void unknownKeyIsReportedWithTheSharedOnes() {
        SettingsException refused = catchThrowableOfType(
                SettingsException.class, () -> read("stores: { a: { type: file, path: p, limit: 1 } }", Map.of()));

        assertThat(refused.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.key()).isEqualTo("stores.a.limit");
            assertThat(problem.remedy()).contains("limits");
        });
    }

    @Test
    void referenceHasASectionForThem() {
        String page = SettingsReferenceGenerator.markdown(Stores.class, VARIANTS);

        assertThat(page).contains("`stores.<name>` of any type").contains("MILLRACE_STORES_<NAME>_LIMITS_TRIES");
    }

    private static SettingsVariant read(String yaml, Map<String, String> environment) throws SettingsException {
        return Objects.requireNonNull(new SettingsReader(VARIANTS, environment)
                .readText(yaml, SettingsFixture.FOLDER, Stores.class)
                .settings()
                .stores()
                .get("a"));
    }
}
