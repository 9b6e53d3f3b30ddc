package io.millrace.gateway.app;

import com.sun.management.UnixOperatingSystemMXBean;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.cache.disk.CacheFolderInspector;
import io.millrace.cache.metadata.MetadataStorePaths;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.config.DataSize;
import io.millrace.config.MachineMemory;
import io.millrace.config.SettingsVariant;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.gateway.cli.JvmMemoryPlan;
import io.millrace.gateway.cli.PresetJvmMemoryLimits;
import io.millrace.gateway.s3.observe.AccessLogSettings;
import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks settings against this machine: memory, folders and addresses. {@code config check}, the launcher and each
 * start use the same checks, so that none accepts settings that another refuses. The checks change nothing and send no
 * requests to backends.
 *
 * @param machine memory of the machine
 * @param limits memory limits of the JVM that are already set
 * @param fileDescriptors the most that a process may open
 * @param isBeforeLaunch whether the files of the logs are checked: a start opens them itself, and a reload, which must
 *     work while the disk of a log fails, leaves them alone
 */
public record MachineChecks(
        MachineMemory machine, PresetJvmMemoryLimits limits, long fileDescriptors, boolean isBeforeLaunch) {
    /**
     * File descriptors that are not of clients or segments: class files, connections to backends, the metadata store.
     */
    private static final int OTHER_FILE_DESCRIPTORS = 2048;

    /** First port that needs no privilege. */
    private static final int FIRST_FREE = 1024;

    /**
     * Returns the checks for a server that will be launched: the launcher chooses the limits that the environment
     * leaves open.
     */
    public static MachineChecks beforeLaunch(Map<String, String> environment) {
        return new MachineChecks(
                MachineMemory.read(),
                PresetJvmMemoryLimits.of(environment.getOrDefault(PresetJvmMemoryLimits.VARIABLE, "")),
                maxFileDescriptors(),
                true);
    }

    /** Returns the checks for a server in this process, whose limits are set. */
    public static MachineChecks inThisProcess() {
        return new MachineChecks(
                MachineMemory.read(), PresetJvmMemoryLimits.ofThisProcess(), maxFileDescriptors(), false);
    }

    /** Returns the memory plan of the server. */
    public JvmMemoryPlan plan(MillraceSettings settings) {
        return JvmMemoryPlan.of(settings.cache(), machine, limits);
    }

    /** Adds problems that prevent a start, and warnings about settings that are probably mistakes. */
    void check(MillraceSettings settings, ProblemReporter problems) {
        JvmMemoryPlan.check(settings.cache(), machine, limits, problems);
        DataFolder.check(settings.data(), problems);
        for (int i = 0; i < settings.cache().disks().size(); i++) {
            checkDisk("cache.disks[" + i + "]", settings.cache().disks().get(i), settings.data(), problems);
        }
        checkDisksApart(settings, problems);
        checkDataApart(settings, problems);
        checkServedFolders(settings, problems);
        checkMetadata(settings, problems);
        new TreeMap<>(settings.backends()).forEach((name, typed) -> {
            checkBackend(name, typed, problems);
            OwnPortCheck.run(name, typed, settings, problems);
        });
        checkAddress("s3.address", settings.s3().address(), settings.s3().port(), problems);
        checkAddress(
                "admin.address", settings.admin().address(), settings.admin().port(), problems);
        settings.hub().ifPresent(hub -> checkAddress("hub.address", hub.address(), hub.port(), problems));
        settings.cluster().ifPresent(cluster -> {
            checkAddress(
                    "cluster.listen", cluster.listen().host(), cluster.listen().port(), problems);
            checkSharedFolders(settings, problems);
        });
        checkFileDescriptors(settings, problems);
        if (isBeforeLaunch) {
            checkLogs(settings, problems);
        }
    }

    private static void checkLogs(MillraceSettings settings, ProblemReporter problems) {
        settings.audit().path().ifPresent(file -> LogFileCheck.check("audit.path", file, problems));
        settings.s3()
                .accessLog()
                .flatMap(AccessLogSettings::file)
                .ifPresent(file -> LogFileCheck.check("s3.access-log.path", file, problems));
    }

    /** A connection takes a descriptor, and so does each segment. The JVM has raised its soft limit to the hard one. */
    private void checkFileDescriptors(MillraceSettings settings, ProblemReporter problems) {
        long segments = settings.cache().disks().stream()
                .mapToLong(disk -> disk.size().bytes()
                                / settings.cache().segmentBytes(disk.size().bytes())
                        + 1)
                .sum();
        long needed = settings.s3().maxConnections() + segments + OTHER_FILE_DESCRIPTORS;
        if (fileDescriptors < needed) {
            problems.warn(
                    "s3.max-connections",
                    settings.s3().maxConnections(),
                    ("is more than the limit of open files (%,d) has room for: all connections, %,d segments and the"
                                    + " rest may need %,d")
                            .formatted(fileDescriptors, segments, needed),
                    "raise the hard limit (LimitNOFILE= of a systemd unit, ulimit -Hn), or allow fewer connections");
        }
    }

    private static long maxFileDescriptors() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }

    private static void checkDisk(String key, DiskSettings disk, Path data, ProblemReporter problems) {
        try {
            CacheFolderInspector.requireUsable(disk.path(), data);
            DataSize capacity = DataSize.ofMebibytes(CacheFolderInspector.freeBytes(disk.path()) >> 20);
            if (capacity.compareTo(disk.size()) < 0) {
                problems.warn(
                        key + ".size",
                        disk.size(),
                        "is more than its file system has room for, which is " + capacity,
                        "write a smaller size, or free space: otherwise the cache evicts its oldest content early");
            }
        } catch (IOException e) {
            String[] parts = sentence(FileFailureText.of(e));
            if (disk.required()) {
                problems.add(key + ".path", disk.path(), parts[0], parts[1]);
            } else {
                problems.warn(key + ".path", disk.path(), parts[0], parts[1]);
            }
        }
    }

    /** A disk inside another would be evicted, moved and counted with it. */
    private static void checkDisksApart(MillraceSettings settings, ProblemReporter problems) {
        List<Path> folders = settings.cache().disks().stream()
                .map(disk -> disk.path().toAbsolutePath().normalize())
                .toList();
        for (int inner = 0; inner < folders.size(); inner++) {
            for (int outer = 0; outer < folders.size(); outer++) {
                Path folder = folders.get(inner);
                if (!folder.equals(folders.get(outer)) && folder.startsWith(folders.get(outer))) {
                    problems.add(
                            "cache.disks[" + inner + "].path",
                            settings.cache().disks().get(inner).path(),
                            "lies inside the folder of cache.disks[%d]".formatted(outer),
                            "give each disk a folder of its own");
                }
            }
        }
    }

    /** A cache folder has no files but the cache's, and its lock would be the one of the data folder. */
    private static void checkDataApart(MillraceSettings settings, ProblemReporter problems) {
        Path data = real(settings.data());
        for (int i = 0; i < settings.cache().disks().size(); i++) {
            Path disk = settings.cache().disks().get(i).path();
            if (data.equals(real(disk))) {
                problems.add(
                        "cache.disks[" + i + "].path",
                        disk,
                        "is the data folder too",
                        "give the disk a folder of its own, such as " + disk.resolve("cache"));
            } else if (data.startsWith(real(disk))) {
                problems.add(
                        "data",
                        settings.data(),
                        "lies inside the folder of cache.disks[%d], which only the cache uses".formatted(i),
                        "keep both apart: write another folder here, or another path for the disk");
            }
        }
    }

    /**
     * Checks that no backend of folders serves what is Millrace's own: clients could read the keys in the data folder.
     */
    private static void checkServedFolders(MillraceSettings settings, ProblemReporter problems) {
        settings.backends().forEach((name, typed) -> {
            if (typed.settings() instanceof FileBackendSettings files) {
                checkServed("data", settings.data(), name, files.path(), problems);
                for (int i = 0; i < settings.cache().disks().size(); i++) {
                    Path disk = settings.cache().disks().get(i).path();
                    checkServed("cache.disks[" + i + "].path", disk, name, files.path(), problems);
                }
                settings.cache()
                        .metadata()
                        .path()
                        .ifPresent(folder -> checkServed("cache.metadata.path", folder, name, files.path(), problems));
            }
        });
    }

    /** Writes to a folder exclude each other in one process only. */
    private static void checkSharedFolders(MillraceSettings settings, ProblemReporter problems) {
        settings.backends().forEach((name, typed) -> {
            if (typed.settings() instanceof FileBackendSettings files
                    && (Files.notExists(files.path()) || Files.isWritable(files.path()))) {
                problems.add(
                        "backends." + name,
                        "",
                        "is a folder that this user may write to, which cannot be shared by the members of a cluster:"
                                + " writes through two of them could mix",
                        "serve it through an S3 server, make it read-only for this user, or leave out the section"
                                + " cluster");
            }
        });
    }

    private static void checkServed(String key, Path folder, String backend, Path served, ProblemReporter problems) {
        if (real(folder).startsWith(real(served))) {
            problems.add(
                    key,
                    folder,
                    ("lies inside the folder that the backend '%s' serves, so clients could read and replace what is in"
                                    + " it")
                            .formatted(backend),
                    "keep both apart: write another folder here, or a path for backends.%s that does not contain it"
                            .formatted(backend));
        }
    }

    /** Returns a folder without links, as far as it exists. */
    private static Path real(Path folder) {
        Path whole = folder.toAbsolutePath().normalize();
        try {
            return whole.toRealPath();
        } catch (IOException missing) {
            @Nullable Path parent = whole.getParent();
            return parent == null ? whole : real(parent).resolve(whole.getFileName());
        }
    }

    private static void checkMetadata(MillraceSettings settings, ProblemReporter problems) {
        // Without a path of its own the metadata store is in the data folder, which has a check of its own.
        settings.cache().metadata().path().ifPresent(folder -> {
            try {
                MetadataStorePaths.requireUsable(folder);
            } catch (IOException e) {
                String[] parts = sentence(String.valueOf(e.getMessage()));
                problems.add("cache.metadata.path", folder, parts[0], parts[1]);
            }
        });
    }

    private static void checkBackend(String name, SettingsVariant typed, ProblemReporter problems) {
        try {
            BackendTypeRegistry.requireUsable(typed);
        } catch (IllegalArgumentException e) {
            String[] parts = sentence(String.valueOf(e.getMessage()));
            problems.add("backends." + name, "", parts[0], parts[1]);
        }
    }

    /**
     * Checks that the address can be bound. A port in use is not a mistake in the settings: most likely a running
     * server has it, which is about to be restarted.
     */
    private static void checkAddress(String key, String address, int port, ProblemReporter problems) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(address, port));
        } catch (IOException e) {
            String reason = String.valueOf(e.getMessage());
            if (!reason.contains("in use") && !isOfThisMachine(address, port)) {
                problems.add(
                        key,
                        address,
                        "cannot be listened on at port %d (%s)".formatted(port, reason),
                        "write an address of this machine and a port that this user may open");
            }
        }
    }

    /**
     * Returns whether another port of the address can be bound, so that this port is in use. The error's message cannot
     * decide that, because it may be in the machine's language.
     */
    private static boolean isOfThisMachine(String address, int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(address, 0));
            return port >= FIRST_FREE;
        } catch (IOException e) {
            return false;
        }
    }

    /** Splits a message at its last colon into problem and remedy. */
    private static String[] sentence(String message) {
        int colon = message.lastIndexOf(": ");
        return colon < 0
                ? new String[] {message, "correct it"}
                : new String[] {message.substring(0, colon), message.substring(colon + 2)};
    }
}
