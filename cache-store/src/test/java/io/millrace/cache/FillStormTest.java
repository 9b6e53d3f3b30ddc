package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.FaultyObjectSource.Fault;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random concurrent load on fills: fast, slow and cancelling readers of ranges, interrupted requests, little memory and
 * a full disk. Each byte is compared; afterwards no buffer and no memory is left over.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class FillStormTest {
    private static final int OBJECTS = 40;
    private static final int LARGEST = 6 << 20;

    @TempDir
    Path folder;

    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void everyByteIsRightAndNothingIsLeft(long seed) {
        storm(seed, 2500);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16})
    @Tag("long")
    void longStormReadsRightBytesAndLeaksNothing(long seed) {
        storm(seed, 20_000);
    }

    private void storm(long seed, long millis) {
        Random random = new Random(seed);
        try (TestCache cache = new TestCache(folder, "4MiB", "6MiB", "9MiB")) {
            List<FaultyObjectSource> sources = sources(seed, random);
            List<VerifyingReader> readers = new ArrayList<>();
            long end = System.nanoTime() + millis * 1_000_000;
            while (System.nanoTime() < end) {
                if (readers.size() < 100) {
                    readers.add(reader(cache, sources, random));
                }
                act(readers, random);
            }
            readers.forEach(reader -> reader.request(Long.MAX_VALUE));
            readers.forEach(this::finish);

            cache.awaitIdle();
            assertThat(cache.cache().administration().stats().used()).isLessThanOrEqualTo((15L << 20) + (4L << 20));
            for (int i = 0; i < OBJECTS; i++) {
                VerifyingReader last = new VerifyingReader(sources.get(i)::bytes, 0, Long.MAX_VALUE)
                        .wanting(sources.get(i).size());
                cache.read(key(seed, i), sources.get(i)).subscribe(last);
                finish(last);
            }
            assertThat(failed.get()).isLessThan(ended.get() / 4);
            cache.awaitIdle();
            // A thread may still be forcing one.
            Polling.until("none is held", () -> removedAndOpen().isEmpty());
        }
    }

    /** A reader asks for more, leaves, or is looked at when it has ended. */
    private void act(List<VerifyingReader> readers, Random random) {
        int at = random.nextInt(readers.size());
        VerifyingReader reader = readers.get(at);
        switch (random.nextInt(10)) {
            case 0 -> {
                reader.cancel();
                readers.remove(at);
                assertThat(reader.wrong()).isNull();
                return;
            }
            case 1, 2 -> reader.request(Long.MAX_VALUE);
            case 3 -> Thread.onSpinWait();
            default -> reader.request(1 + random.nextInt(4));
        }
        if (reader.hasEnded()) {
            readers.remove(reader);
            finish(reader);
        }
    }

    /** It has all of its bytes, or a failure that tells why not. */
    private void finish(VerifyingReader reader) {
        reader.awaitEnd();
        ended.incrementAndGet();
        if (reader.failure() != null) {
            failed.incrementAndGet();
            assertThat(reader.failure()).isInstanceOf(BackendException.class);
        } else {
            assertThat(reader.received()).isEqualTo(reader.wanted());
        }
    }

    /** Segments that have lost their names and are still held by somebody, where the system tells. */
    private List<String> removedAndOpen() {
        List<String> open = new ArrayList<>();
        File[] descriptors = new File("/proc/self/fd").listFiles();
        for (File descriptor : descriptors == null ? new File[0] : descriptors) {
            try {
                String file = Files.readSymbolicLink(descriptor.toPath()).toString();
                if (file.startsWith(folder.toString()) && file.endsWith("(deleted)")) {
                    open.add(file);
                }
            } catch (IOException closedMeanwhile) {
                // Not held, then.
            }
        }
        return open;
    }

    private static VerifyingReader reader(TestCache cache, List<FaultyObjectSource> sources, Random random) {
        int number = random.nextInt(random.nextInt(OBJECTS) + 1);
        FaultyObjectSource source = sources.get(number);
        long first = random.nextBoolean() ? 0 : random.nextLong(source.size());
        long last = random.nextBoolean() ? source.size() - 1 : first + random.nextLong(source.size() - first);
        VerifyingReader reader = new VerifyingReader(source::bytes, first, random.nextInt(3)).wanting(last - first + 1);
        cache.read(source.name(), new ByteRange(first, last), source).subscribe(reader);
        return reader;
    }

    private static List<FaultyObjectSource> sources(long seed, Random random) {
        List<FaultyObjectSource> sources = new ArrayList<>();
        for (int i = 0; i < OBJECTS; i++) {
            long size = i % 3 == 0 ? 1 + random.nextInt(100_000) : 1 + random.nextInt(LARGEST);
            Random faults = new Random(seed * 1000 + i);
            sources.add(new FaultyObjectSource(key(seed, i), size, i % 4 == 0, request -> fault(faults)));
        }
        return sources;
    }

    private static Fault fault(Random random) {
        return switch (random.nextInt(12)) {
            case 0, 1 -> new Fault.Cut(random.nextInt(LARGEST));
            case 2 -> new Fault.Cut(random.nextInt(70_000));
            case 3 -> new Fault.Refused(random.nextBoolean() ? FailureKind.UNAVAILABLE : FailureKind.THROTTLED);
            default -> new Fault.None();
        };
    }

    private static String key(long seed, int number) {
        return "storm-%d-%d".formatted(seed, number);
    }
}
