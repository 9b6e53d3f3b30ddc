package io.millrace.cache.disk;

import io.millrace.cache.index.FingerprintHash;
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
 * What a folder says of itself, in a file of its own.
 *
 * @param store which store the disk belongs to
 * @param disk its own id
 * @param hash the key of the store's fingerprints
 * @param epoch how often the store was started; higher bits of its sequence numbers
 * @param clean whether it was stopped in order
 * @param boot the machine's boot it was last written in; empty where that is not known
 * @param doubtBelow heads with a lower sequence number must be asked for once before they are used
 */
record DiskMarker(
        UUID store, UUID disk, FingerprintHash hash, long epoch, boolean clean, String boot, long doubtBelow) {
    static final String NAME = "millrace.disk";
    private static final int FORMAT = 1;

    /** Sequence numbers of an epoch; more records than a process writes. */
    private static final int SEQUENCE_BITS = 40;

    /** A new disk of a store. */
    static DiskMarker fresh(UUID store, FingerprintHash hash) {
        return new DiskMarker(store, UUID.randomUUID(), hash, 0, true, "", 0);
    }

    /**
     * What it says once the store runs in {@code epoch}. Its heads are doubtful if the machine went down under it, or the
     * store ran without it.
     *
     * @param remembered a number below which heads are doubtful, as far as is known elsewhere
     */
    DiskMarker started(long nextEpoch, String nowBoot, long remembered) {
        boolean wentDown = !clean && (boot.isEmpty() || !boot.equals(nowBoot));
        boolean wasAbsent = epoch != 0 && epoch != nextEpoch - 1;
        long doubt = wentDown || wasAbsent ? firstSequence(nextEpoch) : Math.max(doubtBelow, remembered);
        return new DiskMarker(store, disk, hash, nextEpoch, false, nowBoot, doubt);
    }

    /** What it says when heads of this epoch, too, are doubtful after the next start. */
    DiskMarker doubted() {
        return new DiskMarker(store, disk, hash, epoch, clean, boot, firstSequence(epoch + 1));
    }

    /** What it says when heads of earlier epochs are doubtful. */
    DiskMarker doubtedEarlier() {
        return new DiskMarker(store, disk, hash, epoch, clean, boot, Math.max(doubtBelow, firstSequence(epoch)));
    }

    /** What it says when the disk was away for a while, and the store ran on in this epoch. */
    DiskMarker returned(long nowEpoch, long doubtful) {
        return new DiskMarker(store, disk, hash, nowEpoch, false, boot, Math.max(doubtBelow, doubtful));
    }

    DiskMarker stopped() {
        return new DiskMarker(store, disk, hash, epoch, true, boot, doubtBelow);
    }

    /** The lowest sequence number of an epoch. */
    static long firstSequence(long epoch) {
        return epoch << SEQUENCE_BITS;
    }

    /**
     * Reads a folder's marker; empty if it has none.
     *
     * @throws IOException if it cannot be read or makes no sense; the message says what to do
     */
    static Optional<DiskMarker> read(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        try {
            Properties text = load(file);
            int format = Integer.parseInt(text.getProperty("format", ""));
            if (format > FORMAT) {
                throw new IOException(
                        "%s was written by a newer Millrace (format %d): start that one, or empty the folder"
                                .formatted(file, format));
            }
            return Optional.of(new DiskMarker(
                    UUID.fromString(text.getProperty("store", "")),
                    UUID.fromString(text.getProperty("disk", "")),
                    new FingerprintHash(number(text, "hash-0"), number(text, "hash-1")),
                    number(text, "epoch"),
                    Boolean.parseBoolean(text.getProperty("clean")),
                    text.getProperty("boot", ""),
                    number(text, "doubt-below")));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "%s cannot be read, since it is damaged: empty the folder to start with a cold cache"
                            .formatted(file),
                    e);
        }
    }

    /**
     * Which disk a folder is; empty if it has no marker, or no readable one.
     *
     * @throws IOException if that cannot be told
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

    /** Replaces the folder's marker, and waits until that is on the disk. */
    void write(Path folder) throws IOException {
        ForcedFiles.replace(folder.resolve(NAME), text());
    }

    private byte[] text() {
        Properties text = new Properties();
        text.setProperty("format", Integer.toString(FORMAT));
        text.setProperty("store", store.toString());
        text.setProperty("disk", disk.toString());
        text.setProperty("hash-0", Long.toString(hash.key0()));
        text.setProperty("hash-1", Long.toString(hash.key1()));
        text.setProperty("epoch", Long.toString(epoch));
        text.setProperty("clean", Boolean.toString(clean));
        text.setProperty("boot", boot);
        text.setProperty("doubt-below", Long.toString(doubtBelow));
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
