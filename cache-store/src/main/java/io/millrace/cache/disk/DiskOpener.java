package io.millrace.cache.disk;

import io.millrace.cache.disk.folder.DiskRegistry;
import io.millrace.cache.disk.folder.LockedDiskFolder;
import io.millrace.cache.disk.folder.OpenDiskFolders;
import io.millrace.cache.disk.folder.Superblock;
import io.millrace.cache.disk.io.DiskHealth;
import io.millrace.cache.disk.io.NonBlockingDiskAccess;
import io.millrace.cache.disk.io.PauseAwareClock;
import io.millrace.cache.disk.io.WatchedDiskReads;
import io.millrace.cache.disk.io.WriteBudget;
import io.millrace.cache.disk.segment.ExistingSegmentFile;
import io.millrace.cache.disk.space.DiskSpace;
import io.millrace.cache.disk.space.SharedStoreState;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Opens the disks of a store: all at its start, and one again that was lost. */
final class DiskOpener {
    private final CacheSettings settings;
    private final OpenDiskFolders folders;
    private final SharedStoreState parts;
    private final PauseAwareClock clock;
    private final NonBlockingDiskAccess glances;

    /** Of each disk: what was written before it was lost counts when it is there again. */
    private final List<WriteBudget> budgets;

    DiskOpener(
            CacheSettings settings,
            OpenDiskFolders folders,
            SharedStoreState parts,
            PauseAwareClock clock,
            NonBlockingDiskAccess glances) {
        this.settings = settings;
        this.folders = folders;
        this.parts = parts;
        this.clock = clock;
        this.glances = glances;
        this.budgets = settings.disks().stream()
                .map(disk -> new WriteBudget(disk.writeBudget(), System::nanoTime))
                .toList();
    }

    /** What is remembered of them beside them. */
    DiskRegistry registry() {
        return folders.registry();
    }

    /** The number of this run. */
    long run() {
        return folders.run();
    }

    /** The stale epoch that this run begins with. */
    long staleAtStart() {
        return folders.stale();
    }

    /** The disk of the settings with this number. */
    CacheDisk atStart(int number) {
        LockedDiskFolder folder = folders.folders().get(number);
        return open(number, folder, folders.superblocks().get(number));
    }

    private CacheDisk open(int number, LockedDiskFolder folder, Superblock superblock) {
        DiskSettings disk = settings.disks().get(number);
        DiskSpace room = new DiskSpace(
                folder.path(),
                disk.size().bytes(),
                settings::segmentBytes,
                parts.policy().copiedShare(),
                folder::freeBytes);
        WatchedDiskReads readers =
                new WatchedDiskReads(CacheDisk.name(folder.path()), new DiskHealth(folder.path()), clock, glances);
        return new CacheDisk(folder, superblock, room, budgets.get(number), parts, readers);
    }

    /** A disk that was lost and is there again, and what lies on it; nothing of that is known yet. */
    record Returned(CacheDisk disk, List<ExistingSegmentFile> files) {}

    /**
     * Opens a disk that was lost.
     *
     * @param others that have part in the cache
     * @throws IOException if it is not there, or is another; the message says what to do
     */
    Returned again(int number, Path path, List<CacheDisk> others) throws IOException {
        Superblock superblock = superblock(path);
        if (!superblock.store().equals(folders.superblocks().get(0).store())) {
            throw new IOException(
                    "the cache folder %s belongs to another cache than this one has begun: restart, or empty it"
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
            Superblock returned = superblock.at(folders.run(), registry().stale());
            returned.write(path);
            registry().returned(path, returned.disk());
            List<Path> files = folder.segmentFiles();
            parts.numbers().accumulateAndGet(ExistingSegmentFile.highest(files), Math::max);
            return new Returned(open(number, folder, returned), ExistingSegmentFile.anew(files, parts.numbers()));
        } catch (IOException | RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    private static Superblock superblock(Path path) throws IOException {
        Optional<Superblock> found = Superblock.read(path);
        if (found.isEmpty()) {
            throw new IOException(
                    "the cache folder %s holds no cache: is its disk mounted? A new disk has its part after a restart, with the"
                                    .formatted(path)
                            + " folder's line taken out of cache-disks");
        }
        return found.get();
    }
}
