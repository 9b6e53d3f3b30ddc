package io.millrace.cache.disk;

import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.settings.ScrubSettings;
import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies the segment files of one disk in the background, the one verified longest ago first. A pass begins when that
 * segment was verified half of {@code cache.scrub.interval} ago, so that the other half is left for the pass. It takes
 * all segments that were not verified in the last quarter.
 */
final class DiskScrubber {
    private static final Logger log = LoggerFactory.getLogger(DiskScrubber.class);

    /** Interval at which it checks whether a pass is due. */
    private static final long PAUSE_MILLIS = 1000;

    /** Time that the scrubber yields to readers of the disk before each record; without a limit it might never end. */
    private static final long YIELD_MILLIS = 100;

    private static final long YIELD_STEP = 10;

    private final Supplier<DiskScrubAccess> disk;
    private final ScrubSettings settings;
    private final CacheEventListener recorder;
    private final InstantSource clock;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean requested;
    private volatile boolean underWay;
    private volatile long passBytes;
    private final AtomicLong passed = new AtomicLong();
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong bad = new AtomicLong();
    private volatile Optional<Instant> lastBad = Optional.empty();
    private volatile Optional<Instant> lastEnded = Optional.empty();

    DiskScrubber(
            Supplier<DiskScrubAccess> disk, ScrubSettings settings, CacheEventListener recorder, InstantSource clock) {
        this.disk = disk;
        this.settings = settings;
        this.recorder = recorder;
        this.clock = clock;
    }

    void start() {
        DiskScrubAccess checks = disk.get();
        Duration whole = Duration.ofSeconds(checks.capacity() / settings.rate().bytes());
        Duration half = settings.interval().dividedBy(2);
        if (whole.compareTo(half) > 0) {
            log.warn(
                    "The cache folder {} is too large for cache.scrub.rate {}: when it is full, a record is verified"
                            + " every {} h,"
                            + " not {} h. Raise the rate, or cache.scrub.interval",
                    checks.path(),
                    settings.rate(),
                    half.plus(whole).toHours() + 1,
                    settings.interval().toHours());
        }
        DaemonThreads.start("scrub-" + checks.path().getFileName(), this::run);
    }

    void now() {
        requested = true;
    }

    void close() {
        closed.countDown();
    }

    DiskScrubStatus state() {
        long all = passBytes;
        double progress = underWay && all > 0 ? Math.min(1, (double) passed.get() / all) : 0;
        return new DiskScrubStatus(
                underWay || requested,
                progress,
                lastEnded,
                records.get(),
                bytes.get(),
                bad.get(),
                lastBad,
                disk.get().oldest());
    }

    private void run() {
        try {
            while (!closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                try {
                    passIfDue();
                } catch (RuntimeException | OutOfMemoryError e) {
                    log.error("Scrubbing the cache folder {} failed", disk.get().path(), e);
                } finally {
                    underWay = false;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void passIfDue() throws InterruptedException {
        Instant now = clock.instant();
        boolean due = disk.get()
                .oldest()
                .filter(oldest -> oldest.isBefore(now.minus(settings.interval().dividedBy(2))))
                .isPresent();
        if (requested || due) {
            Instant before = requested ? now : now.minus(settings.interval().dividedBy(4));
            underWay = true;
            requested = false;
            pass(before);
        }
    }

    private void pass(Instant before) throws InterruptedException {
        long began = System.nanoTime();
        long recordsBefore = records.get();
        long bytesBefore = bytes.get();
        long badBefore = bad.get();
        passed.set(0);
        passBytes = disk.get().bytesBefore(before);
        ByteRateLimiter pacing = new ByteRateLimiter(settings.rate().bytes());
        boolean more = true;
        while (more && closed.getCount() > 0) {
            try (SegmentVerifier segment = disk.get().oldestBefore(before)) {
                more = segment != null;
                if (segment != null) {
                    verify(segment, pacing);
                }
            }
        }
        if (more) {
            return;
        }
        Path folder = disk.get().path();
        if (!disk.get().isReadable()) {
            log.warn(
                    "Scrubbing the cache folder {} stopped because the disk cannot be read now: a later pass verifies"
                            + " the rest",
                    folder);
            return;
        }
        lastEnded = Optional.of(clock.instant());
        String message = "Scrubbed the cache folder {}: {} records, {} MiB read in {} s, {} corrupt";
        Object[] numbers = {
            folder,
            records.get() - recordsBefore,
            (bytes.get() - bytesBefore) >> 20,
            TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began),
            bad.get() - badBefore
        };
        if (bad.get() > badBefore) {
            log.warn(message + " and removed", numbers);
        } else {
            log.info(message, numbers);
        }
    }

    private void verify(SegmentVerifier segment, ByteRateLimiter pacing) throws InterruptedException {
        long read = 0;
        int found = 0;
        try {
            while (closed.getCount() > 0 && segment.next()) {
                records.incrementAndGet();
                long more = segment.bytesRead() - read;
                read += more;
                bytes.addAndGet(more);
                addBad(segment.bad() - found);
                found = segment.bad();
                recorder.scrubbed(more);
                rest(more == 0 ? 0 : pacing.read(more));
            }
            addBad(segment.bad() - found);
            if (closed.getCount() > 0) {
                segment.done(clock.instant());
            }
        } catch (IOException e) {
            segment.failed(e, clock.instant());
            rest(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
        }
        passed.addAndGet(segment.bytes());
    }

    private void addBad(int found) {
        if (found > 0) {
            bad.addAndGet(found);
            lastBad = Optional.of(clock.instant());
        }
    }

    private void rest(long nanos) throws InterruptedException {
        if (nanos > 0 && closed.await(nanos, TimeUnit.NANOSECONDS)) {
            return;
        }
        for (long waited = 0; waited < YIELD_MILLIS && disk.get().isBusy(); waited += YIELD_STEP) {
            if (closed.await(YIELD_STEP, TimeUnit.MILLISECONDS)) {
                return;
            }
        }
    }
}
