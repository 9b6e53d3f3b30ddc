package io.millrace.cache;

import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.metadata.MetadataStoreFault;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.residency.ResidencyGroup;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.cache.settings.CacheSettingsFixture;
import io.millrace.cache.settings.ChecksumVerification;
import io.millrace.config.DataSize;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A cache for tests, with the reads that a gateway does through it. */
final class TestCache implements AutoCloseable {
    static final int BLOCK = 256 << 10;

    private final BlockCache cache;

    /**
     * Opens one with blocks of 256 KiB.
     *
     * @param disks their sizes
     */
    TestCache(Path folder, String memory, String... disks) {
        this(folder, CacheEventListener.NONE, memory, disks);
    }

    TestCache(Path folder, CacheEventListener recorder, String memory, String... disks) {
        this(folder, recorder, ChecksumVerification.FIRST_READ, memory, disks);
    }

    TestCache(Path folder, CacheEventListener recorder, ChecksumVerification verify, String memory, String... disks) {
        this(folder, List.of(), recorder, verify, memory, disks);
    }

    /** One that counts what is cached of some objects. */
    TestCache(Path folder, List<ResidencyGroup> counted, String memory, String... disks) {
        this(folder, counted, CacheEventListener.NONE, ChecksumVerification.FIRST_READ, memory, disks);
    }

    TestCache(
            Path folder,
            List<ResidencyGroup> counted,
            CacheEventListener recorder,
            ChecksumVerification verify,
            String memory,
            String... disks) {
        List<DiskSettings> settings = new ArrayList<>();
        for (int i = 0; i < disks.length; i++) {
            settings.add(new DiskSettings(folder.resolve("disk-" + i), DataSize.parse(disks[i])));
        }
        try {
            cache = BlockCache.open(
                    new CacheSettings(
                            DataSize.parse("256KiB"),
                            DataSize.parse(memory),
                            DataSize.parse("16MiB"),
                            DataSize.parse("1MiB"),
                            verify,
                            CacheSettingsFixture.METADATA,
                            CacheSettingsFixture.SCRUB,
                            settings),
                    counted,
                    folder.resolve("data"),
                    recorder,
                    InstantSource.system());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cache.recover();
    }

    BlockCache cache() {
        return cache;
    }

    static ObjectId id(String key) {
        return ObjectId.current("test", new ObjectRef(new BucketName("bucket"), new ObjectKey(key)));
    }

    /** A read of a whole object as a gateway does it: what is known, or an opening, and then the bytes. */
    Flux<ReferenceCounted> read(String key, FaultyObjectSource source) {
        return opened(key, new ByteSelection.WholeObject(), source)
                .flatMapMany(found -> cache.reader()
                        .read(
                                found.metadata(),
                                new ByteRange(0, found.metadata().size() - 1),
                                source,
                                found.opening()));
    }

    /** A read of these bytes. */
    Flux<ReferenceCounted> read(String key, ByteRange range, FaultyObjectSource source) {
        return opened(key, new ByteSelection.RangeSelection(new RangeSpec.Bounded(range.first(), range.last())), source)
                .flatMapMany(found -> cache.reader().read(found.metadata(), range, source, found.opening()));
    }

    Mono<ObjectMetadata> head(String key, ByteSelection selection, FaultyObjectSource source) {
        return opened(key, selection, source).map(UncachedOpenResult.Cached::metadata);
    }

    private Mono<UncachedOpenResult.Cached> opened(String key, ByteSelection selection, FaultyObjectSource source) {
        return cache.reader()
                .find(id(key))
                .map(known -> new UncachedOpenResult.Cached(known, false, Optional.empty()))
                .switchIfEmpty(Mono.defer(
                        () -> cache.reader().open(id(key), selection, source).cast(UncachedOpenResult.Cached.class)));
    }

    ObjectMetadata headNow(String key, FaultyObjectSource source) {
        return Objects.requireNonNull(
                head(key, new ByteSelection.WholeObject(), source).block(Duration.ofSeconds(60)));
    }

    /** Asks what an object is, by an opening or by a question, without waiting for the answer. */
    AtomicReference<ObjectMetadata> ask(ObjectId id, boolean opening, ObjectSource source) {
        AtomicReference<ObjectMetadata> reported = new AtomicReference<>();
        if (opening) {
            cache.reader()
                    .open(id, new ByteSelection.WholeObject(), source)
                    .subscribe(opened -> reported.set(((UncachedOpenResult.Cached) opened).metadata()));
        } else {
            cache.reader().revalidate(id, false, source).subscribe(reported::set);
        }
        return reported;
    }

    /** Waits until nothing is under way, and sees that nothing was forgotten. */
    void awaitIdle() {
        Polling.until("fills have ended", () -> cache.administration().stats().fills() == 0);
        Polling.until(
                "no bytes are reserved", () -> cache.administration().stats().inFlight() == 0);
        MetadataStoreFault.awaitStored(cache, Duration.ofSeconds(60));
    }

    /**
     * Prefetches objects of a size, sixteen at a time, whose keys are a name with a number behind it; and waits until
     * they are stored.
     */
    void bring(String name, int objects, int size) {
        Flux.range(0, objects)
                .flatMap(
                        number -> {
                            String key = name + number;
                            FaultyObjectSource source = FaultyObjectSource.sound(key, size);
                            return cache.prefetcher()
                                    .open(id(key), new ByteSelection.WholeObject(), source)
                                    .map(opened -> ((UncachedOpenResult.Cached) opened).metadata())
                                    .flatMap(head -> cache.prefetcher()
                                            .prefetch(
                                                    head,
                                                    new ByteRange(0, size - 1),
                                                    source,
                                                    Optional.empty(),
                                                    (count, isBrought) -> {}));
                        },
                        16)
                .blockLast(Duration.ofSeconds(60));
        awaitIdle();
    }

    /** Bytes that are here of so many of them. */
    long resident(String name, int objects) {
        return IntStream.range(0, objects)
                .mapToObj(i ->
                        Optional.ofNullable(cache.reader().find(id(name + i)).block()))
                .mapToLong(head -> head.map(cache.inventory()::residentBytes).orElse(0L))
                .sum();
    }

    @Override
    public void close() {
        cache.close();
    }
}
