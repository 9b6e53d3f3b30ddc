package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the limit of a control group applies: a container is killed at it, whatever the machine has. */
class MachineMemoryTest {
    private static final long GIB = 1L << 30;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path root;

    @BeforeEach
    void haveSixteenGibibytes() throws IOException {
        write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  1 kB\n");
    }

    @Test
    void isThatOfTheMachineWithoutAGroup() {
        assertThat(MachineMemory.read(root)).isEqualTo(new MachineMemory(16 * GIB, "the machine"));
    }

    static Stream<Arguments> groups() {
        return Stream.of(
                arguments(
                        named("of version 2", "0::/system.slice/millrace.service\n"),
                        Map.of(
                                "system.slice/memory.max",
                                Long.toString(2 * GIB),
                                "system.slice/millrace.service/memory.max",
                                "max\n"),
                        new MachineMemory(2 * GIB, "the control group /system.slice")),
                arguments(
                        named("of version 2 in a container", "0::/\n"),
                        Map.of("memory.max", GIB + "\n"),
                        new MachineMemory(GIB, "the control group /")),
                arguments(
                        named("of version 1", "5:cpu,cpuacct:/other\n4:memory:/docker/abc\n0::/\n"),
                        Map.of(
                                "memory/docker/abc/memory.limit_in_bytes",
                                Long.toString(3 * GIB),
                                "memory/memory.limit_in_bytes",
                                "9223372036854771712"),
                        new MachineMemory(3 * GIB, "the control group /docker/abc")),
                arguments(
                        named("of version 1 in a container", "4:memory:/docker/abc\n"),
                        Map.of("memory/memory.limit_in_bytes", Long.toString(3 * GIB)),
                        new MachineMemory(3 * GIB, "the control group /")),
                arguments(
                        named("of both versions", "4:memory:/user.slice\n0::/user.slice/session.scope\n"),
                        Map.of(
                                "memory/user.slice/memory.limit_in_bytes", Long.toString(3 * GIB),
                                "unified/user.slice/memory.max", Long.toString(2 * GIB)),
                        new MachineMemory(2 * GIB, "the control group /user.slice")),
                arguments(
                        named("unreadable", "0::/a/../../b\nnonsense\n0::/c\n"),
                        Map.of("b/memory.max", "-1\n", "c/memory.max", "99999999999999999999\n"),
                        new MachineMemory(16 * GIB, "the machine")));
    }

    @ParameterizedTest
    @MethodSource("groups")
    void isTheLeastLimitOfTheGroups(String groups, Map<String, String> limits, MachineMemory least) throws IOException {
        write("proc/self/cgroup", groups);
        for (Map.Entry<String, String> limit : limits.entrySet()) {
            write("sys/fs/cgroup/" + limit.getKey(), limit.getValue());
        }

        assertThat(MachineMemory.read(root)).isEqualTo(least);
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
