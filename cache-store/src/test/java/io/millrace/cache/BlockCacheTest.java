package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.cache.settings.CacheSettingsFixture;
import io.millrace.config.DataSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what readers rely on: correct bytes, each requested from the backend once, also after a restart. */
class BlockCacheTest {
    private static final int MIB = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

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
    void cachedObjectsSurviveARestart() throws IOException {
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
    void buffersHaveTheBytesOfFillsAndDisks() throws IOException {
        ComputedObjectSource source = new ComputedObjectSource("large", 5 * MIB + 123);
        ByteRange odd = new ByteRange(70_001, 3L * MIB + 17);

        assertThat(readBuffers("large", odd, source)).isEqualTo(source.bytes(odd));
        awaitFills();
        assertThat(readBuffers("large", odd, source)).isEqualTo(source.bytes(odd));
        cache.close();
        cache = open("256MiB");
        cache.recover();

        assertThat(readBuffers("large", odd, source)).isEqualTo(source.bytes(odd));
        assertThat(source.sent()).isEqualTo(4L * MIB);
    }

    /** A socket without TLS sends a stored block from its file; TLS encrypts buffers, whose size is some records. */
    @Test
    void storedBlocksAreFileRegionsUnlessBuffersAreRequired() {
        ComputedObjectSource source = new ComputedObjectSource("large", 5 * MIB);
        ByteRange all = new ByteRange(0, 5 * MIB - 1);
        read("large", source);
        awaitFills();
        List<Long> regions = new ArrayList<>();
        List<Integer> buffers = new ArrayList<>();

        byte[] plain = CollectedBody.bytes(cache.reader()
                .read(metadata("large", all, source), all, source, Optional.empty())
                .doOnNext(piece -> regions.add(piece instanceof FileRegion region ? region.count() : -1L)));
        byte[] encrypted = CollectedBody.bytes(cache.reader()
                .read(metadata("large", all, source), all, source, Optional.empty())
                .doOnNext(piece -> buffers.add(piece instanceof ByteBuf buffer ? buffer.readableBytes() : -1))
                .contextWrite(context -> context.put(CacheReader.BUFFERS_ONLY, true)));

        assertThat(plain).isEqualTo(encrypted).isEqualTo(source.bytes(all));
        assertThat(regions).hasSize(5).containsOnly((long) MIB);
        assertThat(buffers).allMatch(size -> size >= 64 << 10 && size <= 256 << 10);
    }

    /** Otherwise connections with TLS, which need buffers, would wait for a disk thread in each read. */
    @Test
    void blocksThatWereReadInBuffersCountAsVerified() throws IOException {
        int size = 700_000;
        ComputedObjectSource source = new ComputedObjectSource("object", size);
        ByteRange all = new ByteRange(0, size - 1);
        ByteRange few = new ByteRange(size - 100, size - 1);
        read("object", source);
        awaitFills();
        cache.close();
        cache = open("256MiB");
        cache.recover();

        assertThat(readBuffers("object", few, source)).isEqualTo(source.bytes(few));
        assertThat(cache.reader().readFromMemory(metadata("object", few, source), few))
                .as("read in part")
                .isNull();
        assertThat(readBuffers("object", all, source)).isEqualTo(source.bytes(all));
        ByteBuf read = cache.reader().readFromMemory(metadata("object", few, source), few);

        assertThat(read).as("read whole").isNotNull();
        assertThat(ByteBufUtil.getBytes(read)).isEqualTo(source.bytes(few));
        read.release();
    }

    @Test
    void rangeCostsItsBlocks() {
        ComputedObjectSource huge = new ComputedObjectSource("huge", 1L << 40);
        ByteRange range = new ByteRange(123L * MIB + 5, 123L * MIB + 4100);

        assertThat(read("huge", range, huge)).isEqualTo(huge.bytes(range));

        assertThat(huge.asked()).containsExactly("GET " + 123L * MIB + "-" + (124L * MIB - 1));
    }

    @Test
    void readsMoreThanTheCacheHolds() throws IOException {
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

    private byte[] readBuffers(String key, ByteRange range, ComputedObjectSource source) {
        return CollectedBody.bytes(cache.reader()
                .readBuffers(metadata(key, range, source), range, source, Optional.empty())
                .doOnNext(buffer -> assertThat(buffer.readableBytes()).isLessThanOrEqualTo(256 << 10))
                .cast(ReferenceCounted.class));
    }

    private byte[] read(String key, @Nullable ByteRange range, ComputedObjectSource source) {
        ObjectMetadata known = metadata(key, range, source);
        ByteRange wanted = Optional.ofNullable(range).orElse(new ByteRange(0, known.size() - 1));
        return CollectedBody.bytes(cache.reader().read(known, wanted, source, Optional.empty()));
    }

    private ObjectMetadata metadata(String key, @Nullable ByteRange range, ComputedObjectSource source) {
        ObjectId id = ObjectId.current("test", new ObjectRef(new BucketName("bucket"), new ObjectKey(key)));
        ByteSelection selection = range == null
                ? new ByteSelection.WholeObject()
                : new ByteSelection.RangeSelection(new RangeSpec.Bounded(range.first(), range.last()));
        ObjectMetadata head = cache.reader()
                .find(id)
                .switchIfEmpty(cache.reader()
                        .open(id, selection, source)
                        .map(opened -> ((UncachedOpenResult.Cached) opened).metadata()))
                .block(PATIENCE);
        return Objects.requireNonNull(head);
    }

    private void awaitFills() {
        Polling.until(
                "all fills have ended", () -> cache.administration().stats().fills() == 0);
    }
}
