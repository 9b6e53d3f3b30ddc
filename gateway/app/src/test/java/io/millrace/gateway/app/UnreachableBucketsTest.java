package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.problem.SettingsException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a file is refused in which a bucket entry could never apply, because one before it has all its names. */
class UnreachableBucketsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*|train|the entry '*' before it",
                "*|data-*|the entry '*' before it",
                "data-*|data-*-x|the entry 'data-*' before it",
                "train|train|the entry 'train' before it"
            })
    void entryBehindOneThatHasAllItsNamesIsRefused(String first, String second, String problem) {
        assertThatThrownBy(() -> settings(first, second))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("buckets[1].name: " + second)
                .hasMessageContaining(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"train|*", "data-*|*", "data-*|*-data", "data-*-x|data-*", "*-data|data-train"})
    void entryWithNamesOfItsOwnIsTaken(String first, String second) throws SettingsException {
        assertThat(settings(first, second).buckets()).hasSize(2);
    }

    @Test
    void twinsAreToBeOneEntry() {
        assertThatThrownBy(() -> settings("train", "train")).hasMessageContaining("write one entry");
    }

    private static MillraceSettings settings(String first, String second) throws SettingsException {
        String file = """
                cache: { disks: [ { path: target/cache, size: 1GiB } ] }
                backends: { far: { type: file, path: target/far } }
                buckets: [ { name: "%s", backend: far }, { name: "%s", backend: far } ]
                identities: [ { name: admin, access-key: A, secret-key: S, allow: "*" } ]
                """.formatted(first, second);
        return SettingsLoader.ofText(file, Map.of()).settings();
    }
}
