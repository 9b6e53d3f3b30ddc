package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    @Test
    void isTheLeastOfAllGroupsOfVersion2() throws IOException {
        write("proc/self/cgroup", "0::/system.slice/millrace.service\n");
        write("sys/fs/cgroup/system.slice/memory.max", Long.toString(2 * GIB));
        write("sys/fs/cgroup/system.slice/millrace.service/memory.max", "max\n");

        assertThat(MachineMemory.read(root)).isEqualTo(new MachineMemory(2 * GIB, "the control group /system.slice"));
    }

    @Test
    void readsCgroupV2LimitInAContainer() throws IOException {
        write("proc/self/cgroup", "0::/\n");
        write("sys/fs/cgroup/memory.max", GIB + "\n");

        assertThat(MachineMemory.read(root)).isEqualTo(new MachineMemory(GIB, "the control group /"));
    }

    @Test
    void isThatOfTheGroupOfVersion1() throws IOException {
        write("proc/self/cgroup", "5:cpu,cpuacct:/other\n4:memory:/docker/abc\n0::/\n");
        write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", Long.toString(3 * GIB));
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");

        assertThat(MachineMemory.read(root)).isEqualTo(new MachineMemory(3 * GIB, "the control group /docker/abc"));
    }

    @Test
    void isTheLeastOfBothVersions() throws IOException {
        write("proc/self/cgroup", "4:memory:/user.slice\n0::/user.slice/session.scope\n");
        write("sys/fs/cgroup/memory/user.slice/memory.limit_in_bytes", Long.toString(3 * GIB));
        write("sys/fs/cgroup/unified/user.slice/memory.max", Long.toString(2 * GIB));

        assertThat(MachineMemory.read(root)).isEqualTo(new MachineMemory(2 * GIB, "the control group /user.slice"));
    }

    @Test
    void unreadableLimitsAreNone() throws IOException {
        write("proc/self/cgroup", "0::/a/../../b\nnonsense\n0::/c\n");
        write("sys/fs/cgroup/b/memory.max", "-1\n");
        write("sys/fs/cgroup/c/memory.max", "99999999999999999999\n");

        assertThat(MachineMemory.read(root)).isEqualTo(new MachineMemory(16 * GIB, "the machine"));
    }

    @Test
    void readsCgroupV1LimitInAContainer() throws IOException {
        write("proc/self/cgroup", "4:memory:/docker/abc\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", Long.toString(3 * GIB));

        assertThat(MachineMemory.read(root).bytes()).isEqualTo(3 * GIB);
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
