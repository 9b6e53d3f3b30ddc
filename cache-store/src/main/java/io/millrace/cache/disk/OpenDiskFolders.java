package io.millrace.cache.disk;

import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.metadata.StaleEpoch;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locked folders of all cache disks, with their superblocks (identities of the disks) as of this start.
 *
 * @param state the cache state file
 * @param run the number of this start
 * @param stale the stale epoch, recorded
 */
record OpenDiskFolders(
        List<LockedDiskFolder> folders,
        List<Superblock> superblocks,
        CacheStateFile state,
        FingerprintHash hash,
        long run,
        long stale)
        implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OpenDiskFolders.class);
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    static OpenDiskFolders open(List<DiskSettings> disks, Path memory) throws IOException {
        List<LockedDiskFolder> folders = new ArrayList<>();
        try {
            CacheStateFile state = CacheStateFile.read(memory);
            for (DiskSettings disk : disks) {
                folders.add(open(disk, state));
            }
            return started(folders, state);
        } catch (IOException | RuntimeException e) {
            // The last first: a folder may be inside one that was created for another.
            for (int i = folders.size() - 1; i >= 0; i--) {
                folders.get(i).leaveAsItWas(e);
            }
            throw e;
        }
    }

    /**
     * Requires that {@link #open} could use a disk, as far as that is visible without locking it; changes nothing.
     *
     * @throws IOException if it could not; the message says why, and what to do
     */
    static void requireUsable(Path folder, Path memory) throws IOException {
        requireMounted(folder, CacheStateFile.read(memory));
        LockedDiskFolder.requireUsable(folder);
        if (Files.isDirectory(folder)) {
            // Throws if it cannot be read.
            Optional<Superblock> unused = Superblock.read(folder);
        }
    }

    private static LockedDiskFolder open(DiskSettings disk, CacheStateFile state) throws IOException {
        try {
            requireMounted(disk.path(), state);
            LockedDiskFolder folder = LockedDiskFolder.open(disk.path());
            try {
                // Throws if it cannot be read: here a disk that is not required may be left out.
                Optional<Superblock> unused = folder.superblock();
                requireSupportedFormats(folder);
                return folder;
            } catch (IOException e) {
                folder.leaveAsItWas(e);
                throw e;
            }
        } catch (IOException e) {
            if (disk.required()) {
                throw e;
            }
            return LockedDiskFolder.absent(disk.path(), String.valueOf(e.getMessage()));
        }
    }

    private static OpenDiskFolders started(List<LockedDiskFolder> folders, CacheStateFile state) throws IOException {
        List<Optional<Superblock>> before = new ArrayList<>();
        for (LockedDiskFolder folder : folders) {
            before.add(folder.superblock());
        }
        Optional<Superblock> any = before.stream().flatMap(Optional::stream).findFirst();
        UUID store = any.map(Superblock::store).orElseGet(UUID::randomUUID);
        requireOneCache(folders, before, store);
        FingerprintHash hash = any.map(Superblock::hash).orElseGet(FingerprintHash::random);
        long last = before.stream()
                .flatMap(Optional::stream)
                .mapToLong(Superblock::run)
                .reduce(state.run(), Math::max);
        long run = last + 1;
        long stale = stale(before, state, last);
        List<Superblock> superblocks = new ArrayList<>();
        for (int i = 0; i < folders.size(); i++) {
            Superblock started =
                    before.get(i).orElseGet(() -> Superblock.fresh(store, hash)).at(run, stale);
            if (!folders.get(i).isAbsent()) {
                folders.get(i).restrict();
                write(started, folders.get(i));
                state.add(folders.get(i).path(), started.disk());
            }
            superblocks.add(started);
        }
        state.started(run, stale, bootId(), present(folders, superblocks));
        state.besides(folders.stream().map(LockedDiskFolder::path).toList())
                .forEach(name -> log.info(
                        "The cache folder {} is no longer part of the cache, because the settings do not name it. If"
                                + " that is for good, empty it, and at the next stop: millrace disks forget --data {}"
                                + " {}",
                        name,
                        state.folder(),
                        name));
        return new OpenDiskFolders(folders, superblocks, state, hash, run, stale);
    }

    /** Returns the stale epoch of this run: that of the last, or a new one if something of the last run may be lost. */
    private static long stale(List<Optional<Superblock>> before, CacheStateFile state, long last) {
        List<UUID> here =
                before.stream().flatMap(Optional::stream).map(Superblock::disk).toList();
        boolean isWhole = state.run() == last && state.isWhole(bootId(), here);
        if (last > 0 && !isWhole) {
            log.warn("The last run did not shut down cleanly, as after a power loss: metadata is revalidated once");
            return StaleEpoch.first(last + 1);
        }
        return before.stream()
                .flatMap(Optional::stream)
                .mapToLong(Superblock::stale)
                .reduce(state.stale(), Math::max);
    }

    /** Requires that all disks belong to one cache. Called before any superblock is written. */
    private static void requireOneCache(
            List<LockedDiskFolder> folders, List<Optional<Superblock>> superblocks, UUID store) throws IOException {
        for (int i = 0; i < folders.size(); i++) {
            if (superblocks
                    .get(i)
                    .filter(superblock -> !superblock.store().equals(store))
                    .isPresent()) {
                throw new IOException("the cache folder %s belongs to another cache than %s: empty one of them"
                        .formatted(folders.get(i).path(), folders.get(0).path()));
            }
        }
    }

    private static List<UUID> present(List<LockedDiskFolder> folders, List<Superblock> superblocks) {
        return IntStream.range(0, folders.size())
                .filter(i -> !folders.get(i).isAbsent())
                .mapToObj(i -> superblocks.get(i).disk())
                .toList();
    }

    /** Writes a superblock. On a full disk the oldest segment is removed for it. */
    private static void write(Superblock superblock, LockedDiskFolder folder) throws IOException {
        try {
            superblock.write(folder.path());
        } catch (IOException e) {
            List<Path> segments = folder.segmentFiles();
            if (segments.isEmpty()) {
                throw e;
            }
            Files.delete(segments.get(0));
            superblock.write(folder.path());
        }
    }

    /**
     * Refuses a folder that lacks the superblock it had: most likely the disk is not mounted. Called before anything is
     * created there. Opening a folder that cannot be read reports the reason.
     */
    private static void requireMounted(Path folder, CacheStateFile state) throws IOException {
        if (!Files.notExists(folder.resolve(Superblock.NAME))) {
            return;
        }
        if (state.contains(folder)) {
            throw new IOException(
                    ("the cache folder %s held a cache and holds none now (is its disk mounted?): mount it, or, if it"
                                    + " was replaced or emptied on purpose, 'millrace disks forget --data %s %s', or,"
                                    + " to start without it, set its key required to false, as the variable"
                                    + " MILLRACE_CACHE_DISKS_0_REQUIRED does for the first disk, also without a"
                                    + " settings file")
                            .formatted(folder, state.folder(), folder));
        }
        if (Files.isDirectory(folder) && Files.isReadable(folder) && !LockedDiskFolder.isEmpty(folder)) {
            throw new IOException("the cache folder %s holds files that are not Millrace's: give it a folder of its own"
                    .formatted(folder));
        }
    }

    /** Refuses segments of a newer version, because they must not be removed. */
    private static void requireSupportedFormats(LockedDiskFolder folder) throws IOException {
        // In parallel, because a large disk has thousands of them.
        Optional<Path> newer =
                folder.segmentFiles().parallelStream().filter(Segment::isNewer).findAny();
        if (newer.isPresent()) {
            throw new IOException("the segment %s was written by a newer Millrace: start that one, or empty the folder"
                    .formatted(newer.get()));
        }
    }

    /** Returns the id of the machine's current boot; empty if the system does not report it. */
    private static String bootId() {
        try {
            return Files.readString(BOOT_ID).strip();
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() {
        close(folders);
    }

    private static void close(List<LockedDiskFolder> folders) {
        for (LockedDiskFolder folder : folders) {
            try {
                folder.close();
            } catch (IOException e) {
                log.debug("The lock of {} cannot be released", folder.path(), e);
            }
        }
    }
}
