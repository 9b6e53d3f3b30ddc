package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.cache.settings.CacheSettingsFixture;
import io.millrace.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** Tests what readers rely on: correct bytes, each requested from the backend once, also after a restart. */
class BlockCacheTest {
    private static final int MIB = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private BlockCache cache;

    @BeforeEach
    void start() throws IOException {
        cache = open("256MiB");
        cache.recover();
    }

    @AfterEach
    void stop() {
        cache.close();
    }

    @Test
    void objectIsFetchedOnceAndReadFromDiskThen() {
        ComputedObjectSource source = new ComputedObjectSource("large", 5 * MIB + 123);

        assertThat(read("large", source)).isEqualTo(source.bytes(new ByteRange(0, 5 * MIB + 122)));
        assertThat(read("large", source)).isEqualTo(source.bytes(new ByteRange(0, 5 * MIB + 122)));

        assertThat(source.asked()).containsExactly("GET");
        assertThat(source.sent()).isEqualTo(5 * MIB + 123);
    }

    @Test
    void whatIsCachedIsCachedAfterARestart() throws IOException {
        ComputedObjectSource large = new ComputedObjectSource("large", 3 * MIB);
        ComputedObjectSource small = new ComputedObjectSource("small", 4096);
        read("large", large);
        read("small", small);
        awaitFills();

        cache.close();
        cache = open("256MiB");
        cache.recover();

        assertThat(read("large", large)).isEqualTo(large.bytes(new ByteRange(0, 3 * MIB - 1)));
        assertThat(read("small", small)).isEqualTo(small.bytes(new ByteRange(0, 4095)));
        assertThat(large.asked()).containsExactly("GET");
        assertThat(small.asked()).containsExactly("GET");
    }

    @Test
    void rangeCostsItsBlocks() {
        ComputedObjectSource huge = new ComputedObjectSource("huge", 1L << 40);
        ByteRange range = new ByteRange(123L * MIB + 5, 123L * MIB + 4100);

        assertThat(read("huge", range, huge)).isEqualTo(huge.bytes(range));

        assertThat(huge.asked()).containsExactly("GET " + 123L * MIB + "-" + (124L * MIB - 1));
    }

    @Test
    void dataLargerThanTheCacheIsReadRightAndTheCacheKeepsItsSize() throws IOException {
        cache.close();
        cache = open("64MiB");
        cache.recover();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 30; i++) {
                ComputedObjectSource source = new ComputedObjectSource("many-" + i, 5 * MIB);
                assertThat(read("many-" + i, source)).isEqualTo(source.bytes(new ByteRange(0, 5 * MIB - 1)));
            }
        }
        assertThat(cache.administration().stats().used()).isLessThanOrEqualTo(64 * MIB + 8 * MIB);
    }

    private BlockCache open(String size) throws IOException {
        CacheSettings settings = CacheSettingsFixture.of(
                DataSize.parse("1MiB"),
                DataSize.parse("64MiB"),
                DataSize.parse("16MiB"),
                List.of(new DiskSettings(folder.resolve("disk"), DataSize.parse(size))));
        return BlockCache.open(
                settings, List.of(), folder.resolve("data"), CacheEventListener.NONE, InstantSource.system());
    }

    private byte[] read(String key, ComputedObjectSource source) {
        return read(key, null, source);
    }

    private byte[] read(String key, @org.jspecify.annotations.Nullable ByteRange range, ComputedObjectSource source) {
        ObjectId id = ObjectId.current("test", new ObjectRef(new BucketName("bucket"), new ObjectKey(key)));
        ByteSelection selection = range == null
                ? new ByteSelection.WholeObject()
                : new ByteSelection.RangeSelection(new RangeSpec.Bounded(range.first(), range.last()));
        ObjectMetadata head = cache.reader()
                .find(id)
                .switchIfEmpty(cache.reader()
                        .open(id, selection, source)
                        .map(opened -> ((OpenResult.Cached) opened).metadata()))
                .block(PATIENCE);
        ObjectMetadata known = Objects.requireNonNull(head);
        ByteRange wanted = Optional.ofNullable(range).orElse(new ByteRange(0, known.size() - 1));
        return CollectedBody.bytes(Flux.from(cache.reader().read(known, wanted, source, Optional.empty())));
    }

    private void awaitFills() {
        for (int i = 0; i < 500 && cache.administration().stats().fills() > 0; i++) {
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        assertThat(cache.administration().stats().fills()).isZero();
    }
}
