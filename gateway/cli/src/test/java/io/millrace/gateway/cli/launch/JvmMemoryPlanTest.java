package io.millrace.gateway.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.settings.CacheSettings;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.binding.SettingsReader;
import io.millrace.config.machine.MachineMemory;
import io.millrace.config.problem.SettingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that the JVM gets the memory its settings need, and that settings that need more than available are refused.
 */
class JvmMemoryPlanTest {
    /** Settings that determine the memory plan. */
    record File(@SettingDescription("The cache.") CacheSettings cache) {}

    private String memory = "";
    private String machine = "16";
    private String options = "";

    @ParameterizedTest
    @CsvSource({
        // Without disks there is nothing to cache into, and with defaults there are 384 MiB.
        "0, '', 16, -Xmx512m -XX:MaxDirectMemorySize=512m",
        "1, '', 16, -Xmx512m -XX:MaxDirectMemorySize=896m",
        "1, 'fill-memory: 4GiB, index-memory: 1GiB,', 16, -Xmx512m -XX:MaxDirectMemorySize=5904m",
        "1, '', 1, -Xmx256m -XX:MaxDirectMemorySize=512m",
        "4, '', 16, -Xmx640m -XX:MaxDirectMemorySize=896m"
    })
    void followsSettingsAndMachine(int disks, String memory, String machine, String expected) throws Exception {
        this.memory = memory;
        this.machine = machine;

        assertThat(plan(disks).options()).isEqualTo(expected);
    }

    @Test
    void keepsToWhatTheOperatorGives() throws Exception {
        options = "-Xmx1g -XX:+UseZGC -XX:MaxDirectMemorySize=3G";

        assertThat(plan(1)).isEqualTo(new JvmMemoryPlan(1L << 30, 3L << 30));
    }

    @Test
    void refusesWhatTheMachineDoesNotHave() {
        memory = "fill-memory: 4GiB, index-memory: 1GiB,";
        machine = "4";

        assertThatThrownBy(() -> plan(1))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("cache.fill-memory: 4GiB")
                .hasMessageContaining("5520MiB of direct memory")
                .hasMessageContaining("the test has 4GiB");
    }

    @Test
    void refusesWhatTheOptionsDoNotAllow() {
        memory = "fill-memory: 4GiB, index-memory: 1GiB,";
        options = "-XX:MaxDirectMemorySize=1g";

        assertThatThrownBy(() -> plan(1))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("MILLRACE_JAVA_OPTIONS allows 1GiB");
    }

    @Test
    void memoryOfTheChartHasRoomForTheUsualPlan() throws Exception {
        Matcher resources = Pattern.compile("requests: \\{ .*memory: (\\d+)Gi }\\n *limits: \\{ memory: (\\d+)Gi }")
                .matcher(Files.readString(Path.of("../../charts/millrace/values.yaml")));
        assertThat(resources.find()).isTrue();
        JvmMemoryPlan usual = plan(1);
        machine = resources.group(2);

        assertThat(plan(1)).isEqualTo(usual);
        assertThat(resources.group(1)).isEqualTo(machine);
    }

    private JvmMemoryPlan plan(int disks) throws SettingsException {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < disks; i++) {
            list.append("{ path: /disk-%d, size: 1TiB }, ".formatted(i));
        }
        MachineMemory there = new MachineMemory(Long.parseLong(machine) << 30, "the test");
        PresetJvmMemoryLimits limits = PresetJvmMemoryLimits.of(options);
        LoadedSettings<File> loaded = new SettingsReader(
                        SettingsVariantRegistry.builder().build(), Map.of())
                .readText(
                        "cache: { %s disks: [ %s ] }".formatted(memory, list),
                        Path.of("."),
                        File.class,
                        (file, problems) -> JvmMemoryPlan.check(file.cache(), there, limits, problems));
        return JvmMemoryPlan.of(loaded.settings().cache(), there, limits);
    }
}
