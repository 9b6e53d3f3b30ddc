package io.millrace.gateway.app.command;

import io.millrace.config.DataSize;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;

/**
 * Checks the file system of a folder: what kind it is, how much is free, and how long a sync of a small write takes.
 */
final class FolderCheck {
    private static final int SYNCS = 15;
    private static final int WRITE_SIZE = 4096;

    /** Each write through the gateway waits for one sync of the metadata store before it is sent. */
    private static final long SLOW_SYNC_MICROS = 20_000;

    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
    private static final Set<String> OF_CONTAINERS = Set.of("overlay", "aufs");
    private static final Set<String> REMOTE = Set.of("nfs", "nfs4", "cifs", "smb2", "smb3", "9p", "ceph", "lustre");

    private FolderCheck() {}

    /** Checks a folder, or where it would be made; leaves nothing there. Blocks for some milliseconds. */
    static Diagnosis run(String subject, Path folder) {
        Path existing = folder.toAbsolutePath();
        while (Files.notExists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        try {
            FileStore store = Files.getFileStore(existing);
            long micros = medianSyncMicros(existing);
            String finding = "%s on %s, %s free; a sync takes %.1f ms"
                    .formatted(folder, store.type(), rounded(store.getUsableSpace()), micros / 1000.0);
            String remedy = remedy(store.type(), micros);
            return remedy.isEmpty() ? Diagnosis.ok(subject, finding) : Diagnosis.warning(subject, finding, remedy);
        } catch (IOException e) {
            return Diagnosis.problem(
                    subject,
                    "%s cannot be written (%s)".formatted(existing, e.getMessage()),
                    "make it writable for this user, or name another folder");
        }
    }

    /** Rounds down to GiB, where there are some. */
    private static DataSize rounded(long bytes) {
        long gibibytes = bytes >> 30;
        return DataSize.ofMebibytes(gibibytes > 9 ? gibibytes << 10 : bytes >> 20);
    }

    private static String remedy(String type, long micros) {
        if (IN_MEMORY.contains(type)) {
            return "it is memory, and empty after a boot: name a folder on a disk";
        }
        if (OF_CONTAINERS.contains(type)) {
            return "it is the container's own file system and goes with it: mount a volume";
        }
        if (REMOTE.contains(type) || type.startsWith("fuse")) {
            return "it is not a local disk, so a cache in it gains little, and locks and syncs may not hold: name a"
                    + " folder on a local disk";
        }
        return micros > SLOW_SYNC_MICROS
                ? "each write through Millrace waits for a sync of the metadata store: put data or cache.metadata.path"
                        + " on a faster disk"
                : "";
    }

    private static long medianSyncMicros(Path folder) throws IOException {
        try (FileChannel channel = openProbeFile(folder)) {
            long[] micros = new long[SYNCS];
            for (int i = 0; i < SYNCS; i++) {
                long begun = System.nanoTime();
                channel.write(ByteBuffer.allocate(WRITE_SIZE));
                channel.force(false);
                micros[i] = (System.nanoTime() - begun) / 1000;
            }
            return LongStream.of(micros).sorted().skip(SYNCS / 2).findFirst().orElseThrow();
        }
    }

    /**
     * Opens a new file in a folder for writing, which its close deletes. Its name begins with a dot, as no bucket's
     * does.
     */
    static FileChannel openProbeFile(Path folder) throws IOException {
        return FileChannel.open(
                folder.resolve(".millrace-doctor-" + UUID.randomUUID()),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
    }
}
