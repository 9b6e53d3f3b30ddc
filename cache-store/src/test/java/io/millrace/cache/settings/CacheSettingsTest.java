package io.millrace.cache.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.DataSize;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.binding.SettingsReader;
import io.millrace.config.problem.SettingsException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The remedy in each problem is a value that is accepted, and not larger than necessary. */
class CacheSettingsTest {
    @ParameterizedTest
    @CsvSource({"256KiB, 1MiB, 3MiB", "1MiB, 1MiB, 6MiB", "1MiB, 5MiB, 6MiB", "4MiB, 17MiB, 18MiB"})
    void tooSmallDiskErrorNamesTheMinimum(String block, String size, String least) throws SettingsException {
        assertThatThrownBy(() -> read(block, size))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("disks[0].size: " + size)
                .hasMessageContaining("blocks of " + block)
                .hasMessageContaining("write " + least + " or more");

        assertThat(read(block, least).disks().get(0).size()).hasToString(least);
    }

    @Test
    void twoDisksNeedTwoFolders() {
        assertThatThrownBy(() -> new SettingsReader(
                                SettingsVariantRegistry.builder().build(), Map.of())
                        .readText(
                                "disks: [ { path: ./a, size: 1GiB }, { path: ./a, size: 1GiB } ]",
                                Path.of(""),
                                CacheSettings.class))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("disks[1].path");
    }

    @Test
    void writeBudgetIsNoneOrEnoughToWriteSomething() throws SettingsException {
        assertThat(readWithBudget("").disks().get(0).writeBudget()).isEmpty();
        assertThat(readWithBudget(", write-budget: 1GiB").disks().get(0).writeBudget())
                .contains(DataSize.parse("1GiB"));
        assertThatThrownBy(() -> readWithBudget(", write-budget: 100MiB"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("disks[0].write-budget: 100MiB")
                .hasMessageContaining("write 1GiB or more");
    }

    private static CacheSettings readWithBudget(String budget) throws SettingsException {
        return new SettingsReader(SettingsVariantRegistry.builder().build(), Map.of())
                .readText("disks: [ { path: ./a, size: 1GiB%s } ]".formatted(budget), Path.of(""), CacheSettings.class)
                .settings();
    }

    private static CacheSettings read(String block, String size) throws SettingsException {
        String text = "{ block-size: %s, disks: [ { path: ./cache, size: %s } ] }".formatted(block, size);
        return new SettingsReader(SettingsVariantRegistry.builder().build(), Map.of())
                .readText(text, Path.of(""), CacheSettings.class)
                .settings();
    }
}
