package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.disk.DamageUnderWay;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.settings.ChecksumVerification;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Corruption of files of a running cache, after their blocks were verified once: with
 * {@link ChecksumVerification#ALWAYS} no wrong byte is served, and readers notice nothing. The damages are flipped
 * bits, sectors that were never written, and records that are torn, misplaced, swapped or replaced by older contents.
 */
@ExtendWith(BufferLeakExtension.class)
class CorruptionWhileRunningTest {
    private static final int[] SIZES = {1, 900, 5000, 65_536, 70_000, 262_144, 300_000, 700_000};
    private static final int OBJECTS = 64;
    private static final int CACHES = 8;

    @TempDir
    Path folder;

    private final AtomicInteger corrupt = new AtomicInteger();
    private final CacheEventListener recorder = new CacheEventListener() {
        @Override
        public void corrupt() {
            corrupt.incrementAndGet();
        }
    };
    private final List<FaultyObjectSource> sources = new ArrayList<>();

    CorruptionWhileRunningTest() {
        for (int i = 0; i < OBJECTS; i++) {
            sources.add(FaultyObjectSource.sound("object-" + i, SIZES[i % SIZES.length]));
        }
    }

    @Test
    @Timeout(300)
    void noDamageLeavesWhenAllIsCompared() throws IOException {
        damage(400, 1);
    }

    /** Bytes verified in memory are verified again when they come from the disk, which may return other bytes. */
    @Test
    @Timeout(300)
    void verifiesSmallBlocksOnEveryDiskRead() throws IOException {
        Random random = new Random(1);
        try (TestCache cache = new TestCache(folder, recorder, ChecksumVerification.FIRST_READ, "32MiB", "128MiB")) {
            sources.forEach(source -> read(cache, source));
            cache.awaitIdle();
            DamageUnderWay damage = DamageUnderWay.of(cache.cache(), random);
            for (FaultyObjectSource source : sources) {
                // A block that was stored before its first reader came is verified already: read from the page
                // cache, it might get a copy in the memory tier, which no damage to the disk concerns.
                damage.forgetWhatIsInMemory();
                read(cache, source);
            }
            cache.awaitIdle();
            for (FaultyObjectSource source : sources) {
                if (source.size() < 65_536) {
                    ObjectMetadata head = cache.headNow(source.name(), source);
                    assertThat(damage.with(DamageUnderWay.Kind.FLIPPED_BIT, head, head))
                            .isTrue();
                    // The last round's block, when it is stored, makes its neighbours count as in memory too.
                    cache.awaitIdle();
                    damage.forgetWhatIsInMemory();
                    int before = corrupt.get();
                    read(cache, source);
                    assertThat(corrupt.get()).as(source.name()).isGreaterThan(before);
                }
            }
        }
    }

    /** -Ddamages=100000, of several caches at once: each waits for its disk's threads most of the time. */
    @Test
    @Tag("long")
    void noneOfManyDamagesLeaves() {
        int damages = Integer.getInteger("damages", 100_000);
        long seed = Long.getLong("seed", System.nanoTime());
        long began = System.nanoTime();
        List<CompletableFuture<String>> caches = new ArrayList<>();
        for (int i = 0; i < CACHES; i++) {
            Path own = folder.resolve("cache-" + i);
            long ownSeed = seed + i;
            caches.add(CompletableFuture.supplyAsync(
                    () -> damageIn(own, damages / CACHES, ownSeed), task -> new Thread(task).start()));
        }
        String found = caches.stream().map(CompletableFuture::join).collect(Collectors.joining("; "));
        System.out.printf(
                "%d damages, seed %d: %s, 0 served, %d s%n",
                damages, seed, found, (System.nanoTime() - began) / 1_000_000_000);
    }

    private static String damageIn(Path own, int damages, long seed) {
        CorruptionWhileRunningTest test = new CorruptionWhileRunningTest();
        test.folder = own;
        try {
            return test.damage(damages, seed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String damage(int damages, long seed) throws IOException {
        Random random = new Random(seed);
        DamageUnderWay.Kind[] kinds = DamageUnderWay.Kind.values();
        Map<DamageUnderWay.Kind, Integer> done = new EnumMap<>(DamageUnderWay.Kind.class);
        try (TestCache cache = open()) {
            sources.forEach(source -> read(cache, source));
            cache.awaitIdle();
            int i = 0;
            while (i < damages) {
                DamageUnderWay.Kind kind = kinds[random.nextInt(kinds.length)];
                FaultyObjectSource hit = sources.get(random.nextInt(OBJECTS));
                FaultyObjectSource other = sources.get(random.nextInt(OBJECTS));
                read(cache, hit);
                read(cache, other);
                int before = corrupt.get();
                boolean damaged = DamageUnderWay.of(cache.cache(), random)
                        .with(kind, cache.headNow(hit.name(), hit), cache.headNow(other.name(), other));
                if (damaged) {
                    read(cache, hit);
                    read(cache, other);
                    assertThat(corrupt.get())
                            .as("damage %d of seed %d, %s to %s", i, seed, kind, hit.name())
                            .isGreaterThan(before);
                    done.merge(kind, 1, Integer::sum);
                    i++;
                }
            }
            cache.awaitIdle();
        }
        assertThat(done).containsOnlyKeys(kinds);
        return "found " + done;
    }

    private static void read(TestCache cache, FaultyObjectSource source) {
        VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
        cache.read(source.name(), source).subscribe(reader);
        reader.await(source.size());
    }

    private TestCache open() {
        return new TestCache(folder, recorder, ChecksumVerification.ALWAYS, "32MiB", "128MiB");
    }
}
