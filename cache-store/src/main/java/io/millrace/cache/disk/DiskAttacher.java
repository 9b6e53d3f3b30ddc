package io.millrace.cache.disk;

import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Attaches cache disks to the store: all at startup, and a lost disk again when it returns. */
final class DiskAttacher {
    private final CacheSettings settings;
    private final OpenDiskFolders folders;
    private final SharedDiskComponents parts;
    private final PauseAwareClock clock;
    private final InlineReadWatchdog eventLoopReads;

    /** One per disk: bytes written before a loss still count after the return. */
    private final List<WriteBudget> budgets;

    DiskAttacher(
            CacheSettings settings,
            OpenDiskFolders folders,
            SharedDiskComponents parts,
            PauseAwareClock clock,
            InlineReadWatchdog eventLoopReads) {
        this.settings = settings;
        this.folders = folders;
        this.parts = parts;
        this.clock = clock;
        this.eventLoopReads = eventLoopReads;
        this.budgets = settings.disks().stream()
                .map(disk -> new WriteBudget(disk.writeBudget(), System::nanoTime))
                .toList();
    }

    /** Returns the cache state file. */
    CacheStateFile state() {
        return folders.state();
    }

    /** Returns the number of this run. */
    long run() {
        return folders.run();
    }

    /** Returns the stale epoch that this run begins with. */
    long staleAtStart() {
        return folders.stale();
    }

    /** Opens the disk with this number in the settings. */
    CacheDisk atStart(int number) {
        LockedDiskFolder folder = folders.folders().get(number);
        return open(number, folder, folders.superblocks().get(number));
    }

    private CacheDisk open(int number, LockedDiskFolder folder, Superblock superblock) {
        DiskSettings disk = settings.disks().get(number);
        DiskSpace space = new DiskSpace(
                folder.path(),
                disk.size().bytes(),
                settings::segmentBytes,
                parts.policy().copiedShare(),
                folder::freeBytes);
        TimeLimitedDiskReads readers = new TimeLimitedDiskReads(
                CacheDisk.name(folder.path()), new DiskHealth(folder.path()), clock, eventLoopReads);
        return new CacheDisk(folder, superblock, space, budgets.get(number), parts, readers);
    }

    /** A returned disk and the segment files on it, which are not recovered yet. */
    record Returned(CacheDisk disk, List<ExistingSegmentFile> files) {}

    /**
     * Opens a disk that was lost.
     *
     * @param others the disks that are in service
     * @throws IOException if it is not there, or is another disk; the message says what to do
     */
    Returned again(int number, Path path, List<CacheDisk> others) throws IOException {
        Superblock superblock = superblock(path);
        if (!superblock.store().equals(folders.superblocks().get(0).store())) {
            throw new IOException(
                    "the cache folder %s belongs to another cache than the one that is running: restart, or empty it"
                            .formatted(path));
        }
        Optional<CacheDisk> same = others.stream()
                .filter(disk -> disk.id().equals(superblock.disk()))
                .findFirst();
        if (same.isPresent()) {
            throw new IOException("the cache folder %s is a copy of %s, which is in use: empty it and start again"
                    .formatted(path, same.get().path()));
        }
        LockedDiskFolder folder = LockedDiskFolder.open(path);
        try {
            folder.restrict();
            Superblock returned = superblock.at(folders.run(), state().stale());
            returned.write(path);
            state().returned(path, returned.disk());
            List<Path> files = folder.segmentFiles();
            parts.segments().raiseNumber(ExistingSegmentFile.highest(files));
            return new Returned(open(number, folder, returned), ExistingSegmentFile.renumber(files, parts.segments()));
        } catch (IOException | RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    private Superblock superblock(Path path) throws IOException {
        Optional<Superblock> found = Superblock.read(path);
        if (found.isEmpty()) {
            throw new IOException(
                    ("the cache folder %s holds no cache: is its disk mounted? To use a new disk there, stop Millrace,"
                                    + " remove the line of the folder from %s, and start it")
                            .formatted(path, state().file().toAbsolutePath()));
        }
        return found.get();
    }
}
