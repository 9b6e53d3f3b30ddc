package io.millrace.cache.disk;

import io.millrace.cache.index.FingerprintHash;
import io.millrace.kit.file.DurableFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;

/**
 * The content of the file that identifies a cache disk.
 *
 * @param store id of the cache that the disk belongs to
 * @param disk id of the disk
 * @param hash the keyed hash of the cache's fingerprints
 * @param run number of starts of the cache
 * @param stale the stale epoch, see {@link io.millrace.cache.metadata.StaleEpoch}
 */
record Superblock(UUID store, UUID disk, FingerprintHash hash, long run, long stale) {
    static final String NAME = "millrace.disk";
    private static final int FORMAT = 2;

    /** Returns the superblock of a new disk. */
    static Superblock fresh(UUID store, FingerprintHash hash) {
        return new Superblock(store, UUID.randomUUID(), hash, 0, 0);
    }

    /** Returns this superblock at a later run, or with a later stale epoch. */
    Superblock at(long laterRun, long laterStale) {
        return new Superblock(store, disk, hash, laterRun, Math.max(stale, laterStale));
    }

    /**
     * Reads a folder's superblock; empty if it has none.
     *
     * @throws IOException if it cannot be read or is corrupt; the message says what to do
     */
    static Optional<Superblock> read(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        try {
            Properties text = load(file);
            int format = Integer.parseInt(text.getProperty("format", ""));
            if (format > FORMAT) {
                throw new IOException(
                        "%s was written by a newer Millrace (format %d): start that one, or empty the folder"
                                .formatted(file, format));
            }
            return Optional.of(new Superblock(
                    UUID.fromString(text.getProperty("store", "")),
                    UUID.fromString(text.getProperty("disk", "")),
                    new FingerprintHash(number(text, "hash-0"), number(text, "hash-1")),
                    number(text, "run"),
                    number(text, "stale-epoch")));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "%s cannot be read, because it is corrupt: empty the folder to start with a cold cache"
                            .formatted(file),
                    e);
        }
    }

    /**
     * Returns the id of the disk in a folder; empty if the folder has no superblock, or a corrupt one.
     *
     * @throws IOException if the superblock cannot be read
     */
    static Optional<UUID> diskAt(Path folder) throws IOException {
        try {
            return Optional.of(UUID.fromString(load(folder.resolve(NAME)).getProperty("disk", "")));
        } catch (NoSuchFileException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Properties load(Path file) throws IOException {
        Properties text = new Properties();
        try (var in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            text.load(in);
        }
        return text;
    }

    /** Replaces the folder's superblock, and waits until it is durable. */
    void write(Path folder) throws IOException {
        DurableFiles.replace(folder.resolve(NAME), text());
    }

    private byte[] text() {
        Properties text = new Properties();
        text.setProperty("format", Integer.toString(FORMAT));
        text.setProperty("store", store.toString());
        text.setProperty("disk", disk.toString());
        text.setProperty("hash-0", Long.toString(hash.key0()));
        text.setProperty("hash-1", Long.toString(hash.key1()));
        text.setProperty("run", Long.toString(run));
        text.setProperty("stale-epoch", Long.toString(stale));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            text.store(out, "Cache of Millrace. Do not edit; empty the folder to start with a cold cache.");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static long number(Properties text, String key) {
        return Long.parseLong(text.getProperty(key, ""));
    }
}
