package io.millrace.cache.disk;

import io.millrace.kit.file.DurableFiles;
import io.millrace.kit.file.PrivateFolder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The file that holds the state of the cache between starts: the disks that there should be, the number of starts,
 * whether the last run shut down cleanly, and the stale epoch. Safe for use by any number of threads.
 */
final class CacheStateFile {
    static final String NAME = "cache-disks";

    private static final String RUN = "run";
    private static final String STALE = "stale-epoch";
    private static final String STOPPED = "stopped";
    private static final String BOOT = "boot";
    private static final String PRESENT = "present";
    private static final Set<String> OURS = Set.of(RUN, STALE, STOPPED, BOOT, PRESENT);

    private final Path file;
    private final Properties entries;
    private boolean ended;

    private CacheStateFile(Path file, Properties entries) {
        this.file = file;
        this.entries = entries;
    }

    /** Reads the file in this folder, if there is one. */
    static CacheStateFile read(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        Properties entries = new Properties();
        if (Files.exists(file)) {
            try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                entries.load(in);
            }
        }
        return new CacheStateFile(file, entries);
    }

    /** Returns the file. */
    Path file() {
        return file;
    }

    /** Returns the data folder, which the file is in. */
    Path folder() {
        return Objects.requireNonNull(file.toAbsolutePath().getParent());
    }

    /** Returns whether a folder held a disk of this cache. */
    synchronized boolean contains(Path folder) {
        return entries.containsKey(name(folder));
    }

    /** Returns folders that held a disk of this cache and are not among these. */
    synchronized List<String> besides(List<Path> folders) {
        Set<String> named = folders.stream().map(CacheStateFile::name).collect(Collectors.toSet());
        return entries.stringPropertyNames().stream()
                .filter(name -> !OURS.contains(name) && !named.contains(name))
                .sorted()
                .toList();
    }

    /** Returns the number of the last run; 0 if there is none. */
    synchronized long run() {
        return number(RUN);
    }

    /** Returns the stale epoch that is recorded here. */
    synchronized long stale() {
        return number(STALE);
    }

    /**
     * Returns whether nothing of the last run can be lost: it shut down cleanly, or only its process was killed, the
     * machine has not rebooted, and all of its disks are there.
     *
     * @param boot id of the current boot; empty if unknown
     * @param disks that are there
     */
    synchronized boolean isWhole(String boot, List<UUID> disks) {
        if (Boolean.parseBoolean(entries.getProperty(STOPPED))) {
            return true;
        }
        Set<String> here = disks.stream().map(UUID::toString).collect(Collectors.toSet());
        return !boot.isEmpty()
                && boot.equals(entries.getProperty(BOOT, ""))
                && Stream.of(entries.getProperty(PRESENT, "").split(","))
                        .allMatch(id -> id.isEmpty() || here.contains(id));
    }

    /** Adds a disk; a later write makes that durable. */
    synchronized void add(Path folder, UUID disk) {
        entries.setProperty(name(folder), disk.toString());
    }

    /** Records a start with these disks. */
    synchronized void started(long run, long stale, String boot, List<UUID> disks) throws IOException {
        entries.setProperty(RUN, Long.toString(run));
        entries.setProperty(STALE, Long.toString(stale));
        entries.setProperty(STOPPED, Boolean.toString(false));
        entries.setProperty(BOOT, boot);
        entries.setProperty(PRESENT, disks.stream().map(UUID::toString).collect(Collectors.joining(",")));
        write();
    }

    /** Forgets the disk that a folder held; returns false if it knows of none. */
    synchronized boolean forget(Path folder) throws IOException {
        boolean isKnown = entries.remove(name(folder)) != null;
        if (isKnown) {
            write();
        }
        return isKnown;
    }

    /** Records that a lost disk has returned. */
    synchronized void returned(Path folder, UUID disk) throws IOException {
        add(folder, disk);
        write();
    }

    /** Makes the stale epoch durable here. */
    synchronized void stale(long epoch) throws IOException {
        entries.setProperty(STALE, Long.toString(Math.max(epoch, stale())));
        write();
    }

    /** Records a clean shutdown; nothing is written after that. */
    synchronized void stopped() throws IOException {
        entries.setProperty(STOPPED, Boolean.toString(true));
        write();
        ended = true;
    }

    /** Ends writing, because the file may soon be another run's. */
    synchronized void end() {
        ended = true;
    }

    private void write() throws IOException {
        if (ended) {
            throw new IOException("the cache is closed");
        }
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        entries.store(
                text,
                "The folders that hold this Millrace's cache. If a disk was emptied on purpose: millrace disks"
                        + " forget.");
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            PrivateFolder.create(folder);
        }
        DurableFiles.replace(file, text.toByteArray());
    }

    private long number(String name) {
        try {
            return Long.parseLong(entries.getProperty(name, "0"));
        } catch (NumberFormatException edited) {
            return 0;
        }
    }

    private static String name(Path folder) {
        return folder.toAbsolutePath().normalize().toString();
    }
}
