package io.millrace.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.problem.SettingsException;
import io.millrace.loadgen.client.KeyOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Tests the built-in scenarios and the messages about wrong files. */
class ScenarioLoaderTest {
    @SuppressWarnings("unused") // read by the parameterized test
    private static final java.util.List<String> BUILT_IN = ScenarioLoader.BUILT_IN;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @FieldSource("BUILT_IN")
    void builtInScenarioIsValid(String name) throws SettingsException {
        Scenario scenario = ScenarioLoader.load(name);

        assertThat(scenario.description()).isNotBlank();
        assertThat(scenario.phases()).isNotEmpty();
        assertThat(scenario.objects().prefix()).isEqualTo("bench/" + name + "/");
    }

    @Test
    void fileHasDefaults() throws IOException, SettingsException {
        PhaseSettings phase = load("phases: [ { name: read } ]").phases().get(0);

        assertThat(phase.operations().types()).containsExactly(OperationType.GET);
        assertThat(phase.order()).isEqualTo(KeyOrder.UNIFORM);
        assertThat(phase.timeLimit()).contains(Duration.ofSeconds(30));
        assertThat(phase.verify()).isTrue();
    }

    @Test
    void countAloneHasNoTimeLimit() throws IOException, SettingsException {
        PhaseSettings phase =
                load("phases: [ { name: read, count: 2x } ]").phases().get(0);

        assertThat(phase.timeLimit()).isEmpty();
        assertThat(phase.count().orElseThrow().operations(50)).isEqualTo(100);
    }

    @ParameterizedTest
    @org.junit.jupiter.params.provider.CsvSource(
            delimiter = ';',
            value = {
                "phases: [ { name: read, operations: got } ]; unknown operation: got",
                "phases: [ { name: read, connections: 0 } ]; connections",
                "phases: [ { name: read, conections: 4 } ]; connections",
                "phases: [ { name: read, rate: -1 } ]; rate",
                "phases: [ { name: read, count: 0 } ]; count",
                "phases: [ { name: a }, { name: a } ]; two phases",
                "phases: []; no phase",
                "objects: { source: file }; keys-file",
            })
    void wrongFileIsReportedWithLineAndKey(String yaml, String message) {
        assertThatThrownBy(() -> load(yaml))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("scenario.yaml")
                .hasMessageContaining(message);
    }

    private Scenario load(String yaml) throws IOException, SettingsException {
        return ScenarioLoader.load(
                Files.writeString(folder.resolve("scenario.yaml"), yaml).toString());
    }
}
