package io.millrace.cache.disk;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is remembered of a cache's disks beside them, in a file of its own: which folders there are, how often the cache was
 * started, and which disks hold heads that must not be trusted although the disk itself could not be told. Safe for use by any
 * number of threads.
 */
final class KnownDisks {
    static final String NAME = "cache-disks";

    private static final String EPOCH = "epoch";
    private static final String DOUBT = "doubt-below.";
    private static final String INVALIDATIONS = "invalidations";

    /** Ids of disks; not there in files of earlier builds, and once all that is on them is known. */
    private static final String RECOVERING = "recovering";

    private final Path file;
    private final Properties known;
    private final boolean invalidationsBefore;
    private boolean ended;

    private KnownDisks(Path file, Properties known) {
        this.file = file;
        this.known = known;
        this.invalidationsBefore = known.containsKey(INVALIDATIONS);
    }

    /** Reads the file in this folder, if there is one. */
    static KnownDisks read(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        Properties known = new Properties();
        if (Files.exists(file)) {
            try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                known.load(in);
            }
        }
        return new KnownDisks(file, known);
    }

    Path file() {
        return file;
    }

    /** Whether invalidations were remembered beside this file in an earlier start. */
    boolean hadInvalidations() {
        return invalidationsBefore;
    }

    /** Whether a folder held a disk of this cache. */
    synchronized boolean contains(Path folder) {
        return known.containsKey(name(folder));
    }

    /** Folders that held a disk of this cache, and are not among these. */
    synchronized List<String> besides(List<Path> folders) {
        Set<String> named = folders.stream().map(KnownDisks::name).collect(Collectors.toSet());
        return known.stringPropertyNames().stream()
                .filter(name -> !isOurs(name) && !named.contains(name))
                .sorted()
                .toList();
    }

    private static boolean isOurs(String name) {
        return name.equals(EPOCH) || name.equals(INVALIDATIONS) || name.equals(RECOVERING) || name.startsWith(DOUBT);
    }

    /** The last start's, whichever disks took part; 0 if none is known. */
    synchronized long epoch() {
        return number(EPOCH);
    }

    /** Heads of this disk with a lower sequence number must be asked for before they are used. */
    synchronized long doubtBelow(UUID disk) {
        return number(DOUBT + disk);
    }

    /** A disk takes part in the next start, and knows itself what was remembered of it. */
    synchronized void add(Path folder, UUID disk) {
        known.setProperty(name(folder), disk.toString());
        known.remove(DOUBT + disk);
    }

    /**
     * Disks that are not among these and took part in a run that ended before it was known what is on all of them: what was written
     * there may hide heads on these.
     *
     * @return their folders, or ids where those are not known; empty if there are none
     */
    synchronized List<String> hidingBesides(List<UUID> disks) {
        Set<String> present = disks.stream().map(UUID::toString).collect(Collectors.toSet());
        return Stream.of(known.getProperty(RECOVERING, "").split(","))
                .filter(id -> !id.isEmpty() && !present.contains(id))
                .map(this::folderOf)
                .toList();
    }

    private String folderOf(String id) {
        return known.stringPropertyNames().stream()
                .filter(name -> !isOurs(name) && id.equals(known.getProperty(name)))
                .findFirst()
                .orElse(id);
    }

    /** Remembers all that, and the start with these disks, of which it is not known yet what is on them. */
    synchronized void started(long epoch, List<UUID> disks) throws IOException {
        known.setProperty(EPOCH, Long.toString(epoch));
        known.setProperty(INVALIDATIONS, "remembered");
        known.setProperty(RECOVERING, disks.stream().map(UUID::toString).collect(Collectors.joining(",")));
        write();
    }

    /** Remembers that all is known that is on the disks of this start. */
    synchronized void recovered() throws IOException {
        known.remove(RECOVERING);
        write();
    }

    /** Remembers that a disk is back that was lost. */
    synchronized void returned(Path folder, UUID disk) throws IOException {
        add(folder, disk);
        write();
    }

    /** Remembers that heads of a disk are doubtful; waits until that would survive a power cut. */
    synchronized void doubt(UUID disk, long below) throws IOException {
        known.setProperty(DOUBT + disk, Long.toString(below));
        write();
    }

    /** The file is another run's soon: nothing is written any more. */
    synchronized void end() {
        ended = true;
    }

    private void write() throws IOException {
        if (ended) {
            throw new IOException("the cache is closed");
        }
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        known.store(
                text,
                "The folders that hold this Millrace's cache. Remove a line when its disk was emptied on purpose.");
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        ForcedFiles.replace(file, text.toByteArray());
    }

    private long number(String name) {
        try {
            return Long.parseLong(known.getProperty(name, "0"));
        } catch (NumberFormatException edited) {
            return 0;
        }
    }

    private static String name(Path folder) {
        return folder.toAbsolutePath().normalize().toString();
    }
}
