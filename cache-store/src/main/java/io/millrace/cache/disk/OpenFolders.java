package io.millrace.cache.disk;

import io.millrace.cache.CacheSettings.DiskSettings;
import io.millrace.cache.index.FingerprintHash;
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
 * The folders of a store, locked, with the markers of this start.
 *
 * @param inOrder whether each was stopped in order, so that all its segments are ended
 * @param known what is remembered of them elsewhere
 * @param epoch of this start
 */
record OpenFolders(
        List<DiskFolder> folders,
        List<DiskMarker> markers,
        List<Boolean> inOrder,
        KnownDisks known,
        FingerprintHash hash,
        long epoch)
        implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OpenFolders.class);
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    static OpenFolders open(List<DiskSettings> disks, Path memory) throws IOException {
        List<DiskFolder> folders = new ArrayList<>();
        try {
            KnownDisks known = KnownDisks.read(memory);
            for (DiskSettings disk : disks) {
                folders.add(open(disk, known));
            }
            return started(folders, known);
        } catch (IOException | RuntimeException e) {
            // The last first: one may lie in a folder that was made for another.
            for (int i = folders.size() - 1; i >= 0; i--) {
                folders.get(i).leaveAsItWas(e);
            }
            throw e;
        }
    }

    /**
     * Requires that {@link #open} could use a disk, as far as is seen without locking it; changes nothing.
     *
     * @throws IOException if it could not; the message says why, and what to do
     */
    static void requireUsable(Path folder, Path memory) throws IOException {
        requireMounted(folder, KnownDisks.read(memory));
        DiskFolder.requireUsable(folder);
        if (Files.isDirectory(folder)) {
            // One that cannot be read is refused.
            Optional<DiskMarker> unused = DiskMarker.read(folder);
        }
    }

    private static DiskFolder open(DiskSettings disk, KnownDisks known) throws IOException {
        try {
            requireMounted(disk.path(), known);
            DiskFolder folder = DiskFolder.open(disk.path());
            try {
                // One that cannot be read is told of here, where the disk may be done without.
                Optional<DiskMarker> unused = folder.marker();
                requireKnownFormats(folder);
                return folder;
            } catch (IOException e) {
                folder.leaveAsItWas(e);
                throw e;
            }
        } catch (IOException e) {
            if (disk.required()) {
                throw e;
            }
            return DiskFolder.absent(disk.path(), String.valueOf(e.getMessage()));
        }
    }

    private static OpenFolders started(List<DiskFolder> folders, KnownDisks known) throws IOException {
        List<Optional<DiskMarker>> before = new ArrayList<>();
        for (DiskFolder folder : folders) {
            before.add(folder.marker());
        }
        Optional<DiskMarker> any = before.stream().flatMap(Optional::stream).findFirst();
        UUID store = any.map(DiskMarker::store).orElseGet(UUID::randomUUID);
        requireOneCache(folders, before, store);
        FingerprintHash hash = any.map(DiskMarker::hash).orElseGet(FingerprintHash::random);
        // Disks that take turns know nothing of each other's starts.
        long last = before.stream()
                .flatMap(Optional::stream)
                .mapToLong(DiskMarker::epoch)
                .reduce(known.epoch(), Math::max);
        long epoch = last + 1;
        long hidden = mayBeHidden(before, known) ? DiskMarker.firstSequence(epoch) : 0;
        List<DiskMarker> markers = new ArrayList<>();
        for (int i = 0; i < folders.size(); i++) {
            DiskMarker marker = before.get(i).orElseGet(() -> DiskMarker.fresh(store, hash));
            long doubtful = Math.max(hidden, known.doubtBelow(marker.disk()));
            DiskMarker started = marker.started(epoch, bootId(), doubtful);
            if (!folders.get(i).isAbsent()) {
                write(started, folders.get(i));
                known.add(folders.get(i).path(), started.disk());
            }
            markers.add(started);
        }
        known.started(epoch, present(folders, markers));
        known.besides(folders.stream().map(DiskFolder::path).toList())
                .forEach(name -> log.info(
                        "The cache folder {} has no part in the cache any more, since the settings do not name it. If that is for"
                                + " good, empty it and remove its line from {}",
                        name,
                        known.file()));
        List<Boolean> inOrder = before.stream()
                .map(marker -> marker.map(DiskMarker::clean).orElse(true))
                .toList();
        return new OpenFolders(folders, markers, inOrder, known, hash, epoch);
    }

    /** Asked before any marker is written. */
    private static void requireOneCache(List<DiskFolder> folders, List<Optional<DiskMarker>> markers, UUID store)
            throws IOException {
        for (int i = 0; i < folders.size(); i++) {
            if (markers.get(i).filter(marker -> !marker.store().equals(store)).isPresent()) {
                throw new IOException("the cache folder %s belongs to another cache than %s: empty one of them"
                        .formatted(folders.get(i).path(), folders.get(0).path()));
            }
        }
    }

    /** Whether a disk is not there on which an earlier run may have replaced or taken out heads that it did not know of. */
    private static boolean mayBeHidden(List<Optional<DiskMarker>> before, KnownDisks known) {
        List<UUID> here =
                before.stream().flatMap(Optional::stream).map(DiskMarker::disk).toList();
        List<String> gone = known.hidingBesides(here);
        if (!gone.isEmpty() && !here.isEmpty()) {
            log.warn(
                    "The last run ended before it was known what is on all disks, and of these {} {} not here: heads on the others"
                            + " are asked for once",
                    String.join(", ", gone),
                    gone.size() == 1 ? "is" : "are");
        }
        return !gone.isEmpty();
    }

    private static List<UUID> present(List<DiskFolder> folders, List<DiskMarker> markers) {
        return IntStream.range(0, folders.size())
                .filter(i -> !folders.get(i).isAbsent())
                .mapToObj(i -> markers.get(i).disk())
                .toList();
    }

    /** On a disk that is full to the last byte the oldest segment makes room. */
    private static void write(DiskMarker marker, DiskFolder folder) throws IOException {
        try {
            marker.write(folder.path());
        } catch (IOException e) {
            List<Path> segments = folder.segmentFiles();
            if (segments.isEmpty()) {
                throw e;
            }
            Files.delete(segments.get(0));
            marker.write(folder.path());
        }
    }

    /**
     * A folder without its marker is not the disk that was there: most likely it is not mounted. Asked before anything is made there;
     * whoever opens a folder that cannot be looked into tells why.
     */
    private static void requireMounted(Path folder, KnownDisks known) throws IOException {
        if (!Files.notExists(folder.resolve(DiskMarker.NAME))) {
            return;
        }
        if (known.contains(folder)) {
            throw new IOException(("the cache folder %s held a cache and holds none now: is its disk mounted? If it was"
                            + " emptied on purpose, remove its line from %s")
                    .formatted(folder, known.file()));
        }
        if (Files.isDirectory(folder) && Files.isReadable(folder) && !DiskFolder.isEmpty(folder)) {
            throw new IOException("the cache folder %s holds files that are not Millrace's: give it a folder of its own"
                    .formatted(folder));
        }
    }

    /** What a newer program wrote is not ours to remove. */
    private static void requireKnownFormats(DiskFolder folder) throws IOException {
        // At once, since a large disk has thousands of them.
        Optional<Path> newer =
                folder.segmentFiles().parallelStream().filter(Segment::isNewer).findAny();
        if (newer.isPresent()) {
            throw new IOException("the segment %s was written by a newer Millrace: start that one, or empty the folder"
                    .formatted(newer.get()));
        }
    }

    /** Which boot of the machine this is; empty where the system does not say. */
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

    private static void close(List<DiskFolder> folders) {
        for (DiskFolder folder : folders) {
            try {
                folder.close();
            } catch (IOException e) {
                log.debug("The lock of {} cannot be given back", folder.path(), e);
            }
        }
    }
}
