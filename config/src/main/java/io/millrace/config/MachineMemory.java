package io.millrace.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * Memory that this process may use: that of the machine, or the least limit of its control groups, which systemd and
 * containers nest.
 *
 * @param bytes amount in bytes
 * @param owner origin of the limit, as shown to the operator
 */
public record MachineMemory(long bytes, String owner) {
    private static final String V2_LIMIT = "memory.max";
    private static final String V1_LIMIT = "memory.limit_in_bytes";

    /** Result on systems that do not report their memory. */
    private static final MachineMemory UNKNOWN = new MachineMemory(Long.MAX_VALUE, "the machine");

    /** Reads the memory available to this process. */
    public static MachineMemory read() {
        return read(Path.of("/"));
    }

    /**
     * Reads it from the kernel's files.
     *
     * @param root folder that stands for the root of the file system
     */
    public static MachineMemory read(Path root) {
        MachineMemory least = machine(root.resolve("proc/meminfo"));
        for (String line : lines(root.resolve("proc/self/cgroup"))) {
            String[] fields = line.split(":", 3);
            if (fields.length == 3 && fields[1].isEmpty()) {
                least = least(least, root.resolve("sys/fs/cgroup"), fields[2], V2_LIMIT);
                least = least(least, root.resolve("sys/fs/cgroup/unified"), fields[2], V2_LIMIT);
            } else if (fields.length == 3 && List.of(fields[1].split(",")).contains("memory")) {
                least = least(least, root.resolve("sys/fs/cgroup/memory"), fields[2], V1_LIMIT);
            }
        }
        return least;
    }

    /**
     * Returns the smallest limit of a group and its ancestors. In a container the path may be that of the host; only
     * the mount itself exists then.
     */
    private static MachineMemory least(MachineMemory bound, Path mount, String group, String limitFile) {
        MachineMemory least = bound;
        Path path = Path.of(group).normalize();
        for (Path each = path; each != null; each = each.getParent()) {
            Path folder = mount.resolve(Path.of("/").relativize(each));
            OptionalLong limit = limit(folder.resolve(limitFile));
            if (limit.isPresent() && limit.getAsLong() < least.bytes) {
                least = new MachineMemory(limit.getAsLong(), "the control group " + each);
            }
        }
        return least;
    }

    private static OptionalLong limit(Path file) {
        return lines(file).stream()
                .filter(line -> line.matches("[0-9]{1,18}"))
                .mapToLong(Long::parseLong)
                .findFirst();
    }

    private static MachineMemory machine(Path meminfo) {
        return lines(meminfo).stream()
                .filter(line -> line.startsWith("MemTotal:"))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .filter(kibibytes -> !kibibytes.isEmpty())
                .map(kibibytes -> new MachineMemory(Long.parseLong(kibibytes) << 10, UNKNOWN.owner))
                .findFirst()
                .orElse(UNKNOWN);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of();
        }
    }
}
