package io.millrace.auth.session;

import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.file.FileFailureText;
import io.millrace.kit.file.PrivateFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File in the data folder with the keys of session tokens: one a line, the newest first, in hexadecimal and with the
 * time from which it encrypts; all decrypt. Each gateway reads it every minute, so that those which share it have a new
 * key before one of them encrypts with it. Thread-safe.
 *
 * <p>The first start creates it. If it is a link, what it leads to at that time is read and replaced, so that gateways
 * can share a file of a folder that all have.
 */
public final class SessionKeyFile implements SessionKeySource, AutoCloseable {
    /**
     * The time in which a new key decrypts and does not encrypt yet: all gateways read the file several times in it.
     */
    static final Duration LEAD = Duration.ofMinutes(10);

    /**
     * The time for which a key decrypts after it has stopped encrypting: as long as the longest session lasts, and an
     * hour for clocks that differ.
     */
    static final Duration DECRYPTS_FOR = Duration.ofHours(13);

    private static final Duration DEFAULT_ROTATION = Duration.ofDays(30);
    private static final Duration READ_EVERY = Duration.ofMinutes(1);
    private static final Logger log = LoggerFactory.getLogger(SessionKeyFile.class);

    /** The time of a line that has none, as an operator writes it. */
    private static final Instant UNKNOWN = Instant.MIN;

    /** Two gateways of one process cannot both hold the lock of a file. */
    private static final Object IN_THIS_PROCESS = new Object();

    private final Path named;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();
    private final ScheduledExecutorService timer = DaemonThreads.timer("session-keys");
    private volatile Optional<Duration> rotation;
    private volatile Ring ring;
    private String problem = "";

    /** A key and the time from which it encrypts. */
    private record Line(String hex, Instant from) {
        @Override
        public String toString() {
            return hex + ' ' + from;
        }
    }

    /** The keys of some lines, of which the first encrypts. */
    private record Ring(List<Line> lines, List<SessionKey> keys) {}

    /** Reads the file, or creates it. */
    private SessionKeyFile(Path named, Optional<Duration> rotation, InstantSource clock) throws IOException {
        this.named = named;
        this.rotation = rotation;
        this.clock = clock;
        Path file = target();
        if (Files.notExists(file)) {
            locked(file, FileChannel::lock, () -> {
                if (Files.notExists(file)) {
                    write(file, List.of(created(clock.instant())));
                }
            });
        }
        this.ring = ring(read(file));
    }

    /**
     * Opens the file in this folder, and creates one if there is none.
     *
     * @param rotation as of {@link #rotateEvery}
     * @throws IOException whose message begins with the file, if it cannot be created, read or parsed
     */
    public static SessionKeyFile in(Path data, Optional<Duration> rotation, InstantSource clock) throws IOException {
        Path named = data.resolve("session-keys").toAbsolutePath().normalize();
        try {
            return new SessionKeyFile(named, rotation, clock);
        } catch (IOException e) {
            throw new IOException("%s: %s".formatted(named, FileFailureText.of(e)), e);
        }
    }

    /** Begins to read the file again and again, and to rotate keys. */
    public void start() {
        ScheduledFuture<?> unused =
                timer.scheduleWithFixedDelay(this::refresh, 0, READ_EVERY.toSeconds(), TimeUnit.SECONDS);
    }

    /**
     * Sets the time after which a new key takes the place of one; zero leaves the file alone, empty one that has a key
     * without a time: it is an operator's, and other gateways may have copies.
     */
    @Override
    public void rotateEvery(Optional<Duration> time) {
        rotation = time;
    }

    @Override
    public List<SessionKey> get() {
        return ring.keys();
    }

    /**
     * Reads the file, and changes it if it is time and nobody else is about to. If that fails, the keys in memory stay.
     */
    public synchronized void refresh() {
        try {
            Path file = target();
            List<Line> lines = read(file);
            publish(lines);
            if (!rotated(lines).equals(lines)) {
                locked(file, FileChannel::tryLock, () -> rotate(file));
            }
            problem = "";
        } catch (IOException e) {
            // The text may have the random name of a temporary file.
            String kind = e.getClass() + ": " + (e instanceof FileSystemException of ? of.getReason() : e.getMessage());
            if (!problem.equals(kind)) {
                boolean isReplacement = e instanceof FileSystemException move && move.getOtherFile() != null;
                log.warn(
                        "Cannot read or rotate the keys of session tokens in {}, those of before stay: {}{}",
                        named,
                        e.toString(),
                        isReplacement
                                ? "; a file that is mounted by itself cannot be replaced: mount its folder and make"
                                        + " session-keys a link to it, or set sts.key-rotation to 0s"
                                : "");
            }
            problem = kind;
        }
    }

    private void rotate(Path file) throws IOException {
        // Another gateway may have done it meanwhile.
        List<Line> lines = read(file);
        List<Line> wanted = rotated(lines);
        if (!wanted.equals(lines)) {
            write(file, wanted);
            publish(wanted);
            log.info("Rotated the keys of session tokens: {} now, in {}", wanted.size(), file);
        }
    }

    private void publish(List<Line> lines) {
        Ring fresh = ring(lines);
        if (!fresh.lines().equals(ring.lines())) {
            ring = fresh;
        }
    }

    private Duration rotationOf(List<Line> lines) {
        return rotation.orElse(hasUnknown(lines) ? Duration.ZERO : DEFAULT_ROTATION);
    }

    private static boolean hasUnknown(List<Line> lines) {
        return lines.stream().anyMatch(line -> line.from().equals(UNKNOWN));
    }

    /**
     * Returns the lines without keys that no valid token needs, and with a new one if the newest is old. Keys without a
     * time get this one: nothing tells how long they have encrypted.
     */
    private List<Line> rotated(List<Line> lines) {
        Duration every = rotationOf(lines);
        if (every.isZero()) {
            return lines;
        }
        Instant now = clock.instant();
        if (hasUnknown(lines)) {
            Instant second = now.truncatedTo(ChronoUnit.SECONDS);
            return lines.stream()
                    .map(line -> line.from().equals(UNKNOWN) ? new Line(line.hex(), second) : line)
                    .toList();
        }
        List<Line> wanted = new ArrayList<>();
        if (!lines.get(0).from().plus(every).isAfter(now)) {
            wanted.add(created(now.plus(LEAD)));
        }
        for (int i = 0; i < lines.size(); i++) {
            if (i == 0 || lines.get(i - 1).from().plus(DECRYPTS_FOR).isAfter(now)) {
                wanted.add(lines.get(i));
            }
        }
        return wanted;
    }

    private Line created(Instant from) {
        byte[] key = new byte[SessionKey.BYTES];
        random.nextBytes(key);
        return new Line(HexFormat.of().formatHex(key), from.truncatedTo(ChronoUnit.SECONDS));
    }

    /** Returns the keys with that first which encrypts now: the newest whose time has come. */
    private Ring ring(List<Line> lines) {
        Instant now = clock.instant();
        List<Line> ordered = new ArrayList<>(lines);
        Line encrypting = lines.stream()
                .filter(line -> !line.from().isAfter(now))
                .findFirst()
                .orElse(lines.get(lines.size() - 1));
        ordered.remove(encrypting);
        ordered.add(0, encrypting);
        return new Ring(
                ordered,
                ordered.stream()
                        .map(line -> new SessionKey(HexFormat.of().parseHex(line.hex())))
                        .toList());
    }

    /** Returns the file, or that which the link leads to now, even if it does not exist. */
    private Path target() throws IOException {
        try {
            return named.toRealPath();
        } catch (NoSuchFileException absent) {
            return Files.isSymbolicLink(named) ? named.resolveSibling(Files.readSymbolicLink(named)) : named;
        }
    }

    private static void write(Path file, List<Line> lines) throws IOException {
        PrivateFile.writeForItsOwner(file, lines.stream().map(Line::toString).toList());
    }

    private static List<Line> read(Path file) throws IOException {
        List<Line> lines = new ArrayList<>();
        for (String text : Files.readAllLines(file)) {
            if (!text.isBlank()) {
                lines.add(parsed(text.strip()));
            }
        }
        if (lines.isEmpty()) {
            throw notKeys();
        }
        return lines;
    }

    private static Line parsed(String text) throws IOException {
        String[] parts = text.split(" +", 2);
        try {
            boolean isKey = HexFormat.of().parseHex(parts[0]).length == SessionKey.BYTES;
            if (isKey) {
                return new Line(parts[0], parts.length == 1 ? UNKNOWN : Instant.parse(parts[1]));
            }
        } catch (IllegalArgumentException | DateTimeException notAKey) {
            // Refused below; the cause might show a part of a key.
        }
        throw notKeys();
    }

    private static IOException notKeys() {
        return new IOException(
                "it must have a key of 64 hexadecimal digits a line, and perhaps a time like 2026-11-27T10:00:00Z after"
                        + " it; without the file, the next start creates another, and all sessions end");
    }

    /** Changes the file while no other gateway does; not at all if this way to lock does not get the lock. */
    private static void locked(Path file, Lock way, Change change) throws IOException {
        synchronized (IN_THIS_PROCESS) {
            try (FileChannel lock = PrivateFile.open(file.resolveSibling(file.getFileName() + ".lock"));
                    FileLock held = way.of(lock)) {
                if (held != null) {
                    change.run();
                }
            }
        }
    }

    /** A way to lock a file: one that waits, or one that does not and may return null. */
    @FunctionalInterface
    private interface Lock {
        @Nullable FileLock of(FileChannel file) throws IOException;
    }

    /** A change of the file. */
    @FunctionalInterface
    private interface Change {
        void run() throws IOException;
    }

    @Override
    public void close() {
        timer.shutdown();
    }
}
