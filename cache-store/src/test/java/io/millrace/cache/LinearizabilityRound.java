package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.metadata.MetadataStoreFault;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One round of the linearizability test: reads, writes, deletes and fills of a few keys, and other keys that cause
 * evictions. Its order follows from a seed as far as threads allow. It uses the cache as a gateway does.
 */
final class LinearizabilityRound {
    private static final int KEYS = 3;
    private static final int STEPS = 250;
    private static final String DISK = "4MiB";

    private final Path folder;
    private final Random random;
    private final List<Runnable> steps = new ArrayList<>();
    private final List<ScheduledObject> objects;
    private final List<AtomicInteger> acknowledged;
    private final ConcurrentMap<ObjectId, Boolean> missing = new ConcurrentHashMap<>();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger fillers = new AtomicInteger();
    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private TestCache cache;

    LinearizabilityRound(Path folder, long seed) {
        this.folder = folder;
        this.random = new Random(seed);
        this.objects = IntStream.range(0, KEYS)
                .mapToObj(i -> new ScheduledObject("linear-%d-%d".formatted(seed, i), this::later))
                .toList();
        this.acknowledged =
                IntStream.range(0, KEYS).mapToObj(i -> new AtomicInteger()).toList();
        this.cache = open(folder.resolve("cache"));
    }

    /** Returns the violations. */
    Queue<String> wrong() {
        return wrong;
    }

    /** Returns the number of reads whose result could be compared. */
    int reads() {
        return reads.get();
    }

    void run() {
        try {
            for (int i = 0; i < STEPS; i++) {
                begin();
                for (int goOn = random.nextInt(4); goOn > 0; goOn--) {
                    step(random.nextInt(10) > 0);
                }
            }
            if (random.nextInt(4) == 0) {
                kill();
            }
            drain();
            checkAll("at the end", cache, true);
            cache.awaitIdle();
            cache.close();
            cache = open(folder.resolve("cache"));
            checkAll("after a restart", cache, false);
        } finally {
            cache.close();
            threads.shutdown();
        }
    }

    private void begin() {
        int number = random.nextInt(KEYS);
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6, 7, 8 -> read(number, random.nextInt(4));
            case 9, 10, 11, 12 -> write(number, size(), random.nextInt(15) > 0, random.nextBoolean());
            case 13, 14 -> write(number, -1, true, false);
            case 15, 16, 17 -> evict();
            case 18 -> {
                if (random.nextBoolean()) {
                    cache.cache().writeFence().invalidate(id(number));
                } else {
                    writeBehind(number, size());
                }
            }
            default -> Thread.onSpinWait();
        }
    }

    private long size() {
        return random.nextInt(5) == 0
                ? TestCache.BLOCK + 1L + random.nextInt(TestCache.BLOCK)
                : 1 + random.nextInt(5000);
    }

    // Reading, as CurrentObjectFinder does.

    private void read(int number, int how) {
        int floor = acknowledged.get(number).get();
        underWay.incrementAndGet();
        read(number, how, 3)
                .subscribe(
                        seen -> compare(number, floor, seen, "a read"),
                        failure -> failed(number, floor, failure),
                        () -> {});
    }

    private Mono<Integer> read(int number, int how, int tries) {
        ScheduledObject object = objects.get(number);
        Mono<ObjectMetadata> requested = Mono.defer(() -> ask(number, how));
        Mono<ObjectMetadata> head = how == 0
                ? cache.cache().reader().revalidate(id(number), random.nextBoolean(), object)
                : cache.cache()
                        .reader()
                        .find(id(number))
                        .flatMap(found -> found.mustRevalidate()
                                ? cache.cache().reader().revalidate(id(number), false, object)
                                : Mono.just(found))
                        .switchIfEmpty(requested);
        return head.flatMap(found -> bytes(object, found))
                .onErrorResume(
                        BackendException.class,
                        failure -> failure.kind() == FailureKind.VERSION_CHANGED && tries > 0
                                ? read(number, how, tries - 1)
                                : Mono.error(failure));
    }

    private Mono<ObjectMetadata> ask(int number, int how) {
        ObjectId id = id(number);
        ScheduledObject object = objects.get(number);
        if (missing.containsKey(id)) {
            return Mono.error(new BackendException(FailureKind.NO_SUCH_KEY, "remembered"));
        }
        WriteFence.Fence fence = cache.cache().writeFence().fence(id);
        Mono<ObjectMetadata> response = how == 1
                ? cache.cache().reader().revalidate(id, false, object)
                : cache.cache()
                        .reader()
                        .open(id, new ByteSelection.WholeObject(), object)
                        .map(opened -> ((UncachedOpenResult.Cached) opened).metadata());
        return response.doOnError(BackendException.class, failure -> {
            if (failure.kind() == FailureKind.NO_SUCH_KEY) {
                missing.compute(id, (key, before) -> fence.isCurrent() ? Boolean.TRUE : before);
            }
        });
    }

    private Mono<Integer> bytes(ScheduledObject object, ObjectMetadata head) {
        int number = ScheduledObject.numberOf(head.head());
        return CollectedBody.soon(
                        cache.cache().reader().read(head, new ByteRange(0, head.size() - 1), object, Optional.empty()))
                .map(bytes -> {
                    if (!Arrays.equals(bytes, object.bytes(number))) {
                        wrong.add("%s: wrong bytes of content %d".formatted(object.key(), number));
                    }
                    return number;
                });
    }

    private void compare(int number, int floor, int seen, String who) {
        reads.incrementAndGet();
        if (seen < floor) {
            wrong.add("%s of %s saw content %d, but %d had been acknowledged"
                    .formatted(who, objects.get(number).key(), seen, floor));
        }
        underWay.decrementAndGet();
    }

    private void failed(int number, int floor, Throwable failure) {
        ScheduledObject object = objects.get(number);
        boolean absent = failure instanceof BackendException known && known.kind() == FailureKind.NO_SUCH_KEY;
        if (absent && IntStream.rangeClosed(floor, object.now()).allMatch(object::isThere)) {
            wrong.add("a read of %s saw nothing, but %d had been acknowledged and not deleted"
                    .formatted(object.key(), floor));
        }
        if (!(failure instanceof BackendException)) {
            wrong.add("a read of %s failed: %s".formatted(object.key(), failure));
        }
        reads.addAndGet(absent ? 1 : 0);
        underWay.decrementAndGet();
    }

    // Writing, as FencedWrites does.

    private void write(int number, long size, boolean answered, boolean fills) {
        ScheduledObject object = objects.get(number);
        ObjectId id = id(number);
        underWay.incrementAndGet();
        cache.cache().writeFence().beginWrite(id).then(object.write(size)).subscribe(effect -> {
            cache.cache().writeFence().endWrite(id, answered);
            missing.remove(id);
            if (answered) {
                acknowledged.get(number).accumulateAndGet(effect, Math::max);
            }
            if (answered && fills && size > 0) {
                underWay.incrementAndGet();
                cache.cache()
                        .prefetcher()
                        .fillWritten(id, ScheduledObject.tag(effect), pieces(object.bytes(effect)), object)
                        .subscribe(nothing -> {}, failure -> underWay.decrementAndGet(), underWay::decrementAndGet);
            }
            underWay.decrementAndGet();
        });
    }

    /** Somebody else writes, and tells of what its key begins with. */
    private void writeBehind(int number, long size) {
        ScheduledObject object = objects.get(number);
        String prefix = object.key().substring(0, random.nextInt(object.key().length() + 1));
        ObjectId id = id(number);
        underWay.incrementAndGet();
        object.write(size)
                .subscribe(effect -> cache.cache()
                        .writeFence()
                        .invalidate(new ObjectPrefix(id.backend(), id.object().bucket(), prefix))
                        .subscribe(nothing -> {}, failure -> wrong.add("an invalidation failed: " + failure), () -> {
                            missing.remove(id);
                            acknowledged.get(number).accumulateAndGet(effect, Math::max);
                            underWay.decrementAndGet();
                        }));
    }

    private static List<ByteBuf> pieces(byte[] bytes) {
        int half = bytes.length / 2;
        return List.of(
                PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(bytes, 0, half),
                PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(bytes, half, bytes.length - half));
    }

    /** Something large comes, so that what is old goes. */
    private void evict() {
        String key = "filler-" + fillers.incrementAndGet();
        FaultyObjectSource source = FaultyObjectSource.sound(key, TestCache.BLOCK);
        underWay.incrementAndGet();
        cache.read(key, source)
                .doOnNext(piece -> piece.release())
                .subscribe(piece -> {}, failure -> underWay.decrementAndGet(), underWay::decrementAndGet);
    }

    // The schedule.

    private void later(Runnable step) {
        synchronized (steps) {
            steps.add(step);
        }
    }

    private boolean step(boolean here) {
        Runnable next;
        synchronized (steps) {
            if (steps.isEmpty()) {
                return false;
            }
            next = steps.remove(random.nextInt(steps.size()));
        }
        if (here) {
            next.run();
        } else {
            threads.execute(next);
        }
        return true;
    }

    private void drain() {
        try {
            Polling.within(Duration.ofSeconds(60)).until(() -> {
                runSteps();
                return underWay.get() == 0
                        && cache.cache().administration().stats().fills() == 0;
            });
        } catch (ConditionTimeoutException tooLong) {
            wrong.add("%d have not ended".formatted(underWay.get()));
        }
    }

    private void runSteps() {
        boolean ran = true;
        while (ran) {
            ran = step(random.nextInt(10) > 0);
        }
    }

    /** The files as they are now, in the hands of another process. */
    private void kill() {
        runSteps();
        if (random.nextBoolean()) {
            // Half of the kills come when all is stored, the others while it is.
            MetadataStoreFault.awaitStored(cache.cache(), Duration.ofSeconds(60));
        }
        List<Integer> floors = acknowledged.stream().map(AtomicInteger::get).toList();
        // A kill takes all files at one moment: a copy in whose time a segment has gone would be of none.
        List<String> before = segments();
        Path killed;
        try {
            killed = FolderSnapshot.folder(folder.resolve("cache"), folder.resolve("killed"));
        } catch (UncheckedIOException goneMeanwhile) {
            return;
        }
        if (!segments().equals(before)) {
            return;
        }
        try (TestCache found = open(killed)) {
            for (int i = 0; i < KEYS; i++) {
                checkFound(i, floors.get(i), found, "after a kill");
            }
        }
    }

    private List<String> segments() {
        String[] names = folder.resolve("cache").resolve("disk-0").toFile().list();
        return names == null ? List.of() : Stream.of(names).sorted().toList();
    }

    private void checkAll(String when, TestCache now, boolean reading) {
        for (int i = 0; i < KEYS; i++) {
            checkFound(i, acknowledged.get(i).get(), now, when);
            if (reading) {
                read(i, 2);
            }
        }
        drain();
    }

    private void checkFound(int number, int floor, TestCache now, String when) {
        @Nullable ObjectMetadata head = now.cache().reader().find(id(number)).block(Duration.ofSeconds(60));
        if (head != null && !head.mustRevalidate() && ScheduledObject.numberOf(head.head()) < floor) {
            wrong.add("%s content %d of %s is known, but %d had been acknowledged"
                    .formatted(
                            when,
                            ScheduledObject.numberOf(head.head()),
                            objects.get(number).key(),
                            floor));
        }
    }

    private ObjectId id(int number) {
        return TestCache.id(objects.get(number).key());
    }

    private static TestCache open(Path folder) {
        return new TestCache(folder, "16MiB", DISK);
    }
}
