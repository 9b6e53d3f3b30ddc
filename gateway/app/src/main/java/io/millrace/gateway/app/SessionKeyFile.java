package io.millrace.gateway.app;

import io.millrace.auth.session.SessionKey;
import io.millrace.gateway.app.settings.StartException;
import io.millrace.gateway.objects.file.PrivateFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
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
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File in the data folder with the keys of session tokens: one a line, the newest first, in hexadecimal and with the time from which
 * it encrypts; all decrypt. Each gateway reads it every minute, so that those which share it have a new key before one of them
 * encrypts with it. Thread-safe.
 *
 * <p>The first start creates it. If it is a link, what it leads to is replaced, so that gateways can share a file of a folder that
 * all have.
 */
final class SessionKeyFile implements Supplier<List<SessionKey>>, AutoCloseable {
    /** How long a new key only decrypts: enough for all gateways to read the file several times. */
    static final Duration LEAD = Duration.ofMinutes(10);

    /** How long a key still decrypts: as long as the longest session lasts, and an hour for clocks that differ. */
    static final Duration DECRYPTS_FOR = Duration.ofHours(13);

    private static final Duration READ_EVERY = Duration.ofMinutes(1);
    private static final Logger log = LoggerFactory.getLogger(SessionKeyFile.class);

    /** Two gateways of one process cannot both hold the lock of a file. */
    private static final Object IN_THIS_PROCESS = new Object();

    private final Path file;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "session-keys");
        thread.setDaemon(true);
        return thread;
    });
    private volatile Duration rotation = Duration.ZERO;
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
    private SessionKeyFile(Path file, InstantSource clock) throws IOException {
        this.file = file;
        this.clock = clock;
        if (Files.notExists(file)) {
            locked(() -> {
                if (Files.notExists(file)) {
                    write(List.of(created(clock.instant())));
                }
            });
        }
        this.ring = ring(read());
    }

    /**
     * Opens the file in this folder, and creates one if there is none.
     *
     * @throws StartException if the file cannot be written, read or parsed
     */
    static SessionKeyFile in(Path data, InstantSource clock) {
        Path named = data.resolve("session-keys").toAbsolutePath().normalize();
        try {
            boolean isLink = Files.isSymbolicLink(named);
            return new SessionKeyFile(isLink ? named.resolveSibling(Files.readSymbolicLink(named)) : named, clock);
        } catch (IOException e) {
            throw new StartException("cannot read or write the session keys in %s: %s".formatted(named, e), e);
        }
    }

    /** Begins to read the file again and again, and to rotate keys. */
    void start() {
        ScheduledFuture<?> unused =
                timer.scheduleWithFixedDelay(this::refresh, 0, READ_EVERY.toSeconds(), TimeUnit.SECONDS);
    }

    /** Sets the time after which a new key takes the place of one; zero leaves the file alone. */
    void rotateEvery(Duration time) {
        rotation = time;
    }

    /** Returns the keys, of which the first encrypts; the same list until they change. */
    @Override
    public List<SessionKey> get() {
        return ring.keys();
    }

    /** Reads the file, and changes it if it is time. If that fails, the keys in memory stay. */
    synchronized void refresh() {
        try {
            List<Line> lines = read();
            if (!rotated(lines).equals(lines)) {
                locked(() -> {
                    // Another gateway may have done it meanwhile.
                    List<Line> written = read();
                    List<Line> wanted = rotated(written);
                    if (!wanted.equals(written)) {
                        write(wanted);
                        log.info("Rotated the keys of session tokens: {} now, in {}", wanted.size(), file);
                    }
                });
            }
            problem = "";
        } catch (IOException e) {
            if (!problem.equals(e.toString())) {
                log.warn(
                        "Cannot rotate the keys of session tokens in {}, those of before stay: {}", file, e.toString());
            }
            problem = e.toString();
        }
        try {
            Ring fresh = ring(read());
            if (!fresh.lines().equals(ring.lines())) {
                ring = fresh;
            }
        } catch (IOException e) {
            log.warn("Cannot read the keys of session tokens in {}, those of before stay: {}", file, e.toString());
        }
    }

    /** Returns the lines without keys that no valid token needs, and with a new one if the newest is old. */
    private List<Line> rotated(List<Line> lines) {
        Duration every = rotation;
        if (every.isZero()) {
            return lines;
        }
        Instant now = clock.instant();
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

    private void write(List<Line> lines) throws IOException {
        PrivateFile.write(file, lines.stream().map(Line::toString).toList());
    }

    private List<Line> read() throws IOException {
        // An operator's key has no time: it encrypts since it was written.
        Instant changed = Files.getLastModifiedTime(file).toInstant().truncatedTo(ChronoUnit.SECONDS);
        List<Line> lines = new ArrayList<>();
        for (String text : Files.readAllLines(file)) {
            if (!text.isBlank()) {
                lines.add(parsed(text.strip(), changed));
            }
        }
        if (lines.isEmpty()) {
            throw notKeys();
        }
        return lines;
    }

    private static Line parsed(String text, Instant changed) throws IOException {
        String[] parts = text.split(" +", 2);
        try {
            boolean isKey = HexFormat.of().parseHex(parts[0]).length == SessionKey.BYTES;
            if (isKey) {
                return new Line(parts[0], parts.length == 1 ? changed : Instant.parse(parts[1]));
            }
        } catch (IllegalArgumentException | DateTimeException notAKey) {
            // Refused below; the cause might show a part of a key.
        }
        throw notKeys();
    }

    private static IOException notKeys() {
        return new IOException(
                "it must have a key of 64 hexadecimal digits a line, and perhaps a time like"
                        + " 2026-11-27T10:00:00Z after it; without the file, the next start creates another, and all sessions end");
    }

    /** Changes the file while no other gateway does. */
    private void locked(Change change) throws IOException {
        synchronized (IN_THIS_PROCESS) {
            try (FileChannel lock = PrivateFile.open(file.resolveSibling(file.getFileName() + ".lock"));
                    FileLock held = lock.lock()) {
                if (held.isValid()) {
                    change.run();
                }
            }
        }
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
