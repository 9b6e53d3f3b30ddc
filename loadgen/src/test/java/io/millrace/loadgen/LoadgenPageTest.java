package io.millrace.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.SettingDescription;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that docs/loadgen.md names every key of a scenario's file, with its default. */
class LoadgenPageTest {
    @ParameterizedTest
    @MethodSource("keys")
    void pageHasTheKeyWithItsDefault(RecordComponent component) throws IOException {
        String key = component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        SettingDescription setting = Objects.requireNonNull(component.getAnnotation(SettingDescription.class));
        String value = setting.defaultValue().replace("\"\"", "");

        assertThat(Files.readAllLines(Path.of("..", "docs", "loadgen.md")))
                .anyMatch(line -> line.startsWith("| `" + key + "` | " + (value.isEmpty() ? "" : "`" + value + "` |")));
    }

    static Stream<RecordComponent> keys() {
        return Stream.of(ObjectSettings.class, PhaseSettings.class)
                .flatMap(type -> Arrays.stream(type.getRecordComponents()));
    }
}
