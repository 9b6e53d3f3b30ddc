package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.settings.CacheSettings;
import io.millrace.config.DataSize;
import io.millrace.config.MachineMemory;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.binding.SettingsReader;
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
    private String machine = "16GiB";
    private String options = "";

    @ParameterizedTest
    @CsvSource({
        // Without disks there is nothing to cache into, and with defaults there are 384 MiB.
        "0, '', 16GiB, -Xmx512m -XX:MaxDirectMemorySize=512m",
        "1, '', 16GiB, -Xmx512m -XX:MaxDirectMemorySize=896m",
        "1, 'fill-memory: 4GiB, index-memory: 1GiB,', 16GiB, -Xmx512m -XX:MaxDirectMemorySize=5904m",
        "1, '', 1GiB, -Xmx256m -XX:MaxDirectMemorySize=512m",
        "4, '', 16GiB, -Xmx640m -XX:MaxDirectMemorySize=896m"
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
        machine = "4GiB";

        assertThatThrownBy(() -> plan(1))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("cache.fill-memory: 4GiB")
                .hasMessageContaining("5520MiB of direct memory")
                .hasMessageContaining("the test has 4GiB")
                .hasMessageContaining("make cache.fill-memory smaller");
    }

    @ParameterizedTest
    @CsvSource({
        "'memory-tier: 900GiB,', cache.memory-tier: 900GiB",
        "'index-memory: 900GiB,', cache.index-memory: 900GiB",
        "'metadata: { memory: 900GiB },', cache.metadata.memory: 900GiB",
        "'memory-tier: 8192TiB, index-memory: 8191TiB, fill-memory: 8191TiB,', cache.memory-tier: 8192TiB"
    })
    void namesTheKeyThatIsTooLarge(String memory, String named) {
        this.memory = memory;

        assertThatThrownBy(() -> plan(1))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(named)
                .hasMessageContaining("make %s smaller".formatted(named.substring(0, named.indexOf(':'))));
    }

    @ParameterizedTest
    @CsvSource({
        "1, -Xmx16m, a heap of 16MiB (-Xmx) is too small, write -Xmx256m or more",
        "1, -Xmx0, a heap of 0B (-Xmx) is too small, write -Xmx256m or more",
        "1, -Xmx900g, a heap of 900GiB (-Xmx) is too much, 'write a smaller -Xmx'",
        "1, -XX:MaxHeapSize=99999999999999, a heap of 95367432MiB (-Xmx) is too much, 'write a smaller -Xmx'",
        "1, -Xmx0xE100000000, a heap of 900GiB (-Xmx) is too much, 'write a smaller -Xmx'",
        "1, -Xmx900g -XX:MaxDirectMemorySize=1g, a heap of 900GiB (-Xmx) is too much, 'write a smaller -Xmx'",
        "1, -Xmx99999999t, a heap of 1048576TiB or more (-Xmx) is too much, 'write a smaller -Xmx'",
        "0, -Xmx9223372036854775807, a heap of 1048576TiB or more (-Xmx) is too much, 'write a smaller -Xmx'",
        "1, -XX:MaxDirectMemorySize=900g, 900GiB of direct memory (-XX:MaxDirectMemorySize) are too much, write less",
        "1, -XX:MaxDirectMemorySize=9999999t, 1048576TiB or more of direct memory (-XX:MaxDirectMemorySize) are too"
                + " much, the test has 16GiB",
        "1, -XX:MaxDirectMemorySize=0, 0B of direct memory (-XX:MaxDirectMemorySize) are too little,"
                + " -XX:MaxDirectMemorySize=512m",
        "1, -Xmx512m -Xmx-1g, -Xmx-1g has no size that the JVM reads, such as -Xmx512m",
        "1, -Xmx4x -XX:MaxDirectMemorySize=1.5g, -Xmx4x -XX:MaxDirectMemorySize=1.5g has no size that the JVM reads,"
                + " leave the option out",
        "1, -XX:MaxDirectMemorySize=16m, 16MiB of direct memory (-XX:MaxDirectMemorySize) are too little,"
                + " -XX:MaxDirectMemorySize=512m",
        "0, -XX:MaxDirectMemorySize=16m, 16MiB of direct memory (-XX:MaxDirectMemorySize) are too little,"
                + " -XX:MaxDirectMemorySize=128m"
    })
    void namesTheOptionThatIsTooSmallOrTooLarge(int disks, String options, String problem, String remedy) {
        this.options = options;

        assertThatThrownBy(() -> plan(disks))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("environment variable MILLRACE_JAVA_OPTIONS")
                .hasMessageContaining(problem)
                .hasMessageContaining(remedy);
    }

    /** As docs/running.md has them. */
    @ParameterizedTest
    @CsvSource({
        "1, '', 1GiB",
        "0, '', 576MiB",
        "1, 'fill-memory: 16MiB, index-memory: 4MiB, memory-tier: 0, metadata: { memory: 32MiB },', 629MiB"
    })
    void smallestMachinesSuffice(int disks, String memory, String machine) throws Exception {
        this.memory = memory;
        this.machine = machine;
        assertThat(plan(disks).heap()).isEqualTo(256 << 20);

        this.machine = DataSize.parse(machine).bytes() - 1 + "B";
        assertThatThrownBy(() -> plan(disks)).isInstanceOf(SettingsException.class);
    }

    @Test
    void smallerSettingsAreNoRemedyWhereTheyDoNotHelp() {
        machine = "640MiB";

        assertThatThrownBy(() -> plan(1))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("give it more memory: 640MiB are needed beside the memory of the cache")
                .hasMessageNotContaining("smaller, or");
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
        machine = resources.group(2) + "GiB";

        assertThat(plan(1)).isEqualTo(usual);
        assertThat(resources.group(1)).isEqualTo(resources.group(2));
    }

    private JvmMemoryPlan plan(int disks) throws SettingsException {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < disks; i++) {
            list.append("{ path: /disk-%d, size: 1TiB }, ".formatted(i));
        }
        MachineMemory there = new MachineMemory(DataSize.parse(machine).bytes(), "the test");
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
