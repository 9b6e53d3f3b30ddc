package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A slice of a cached object is read from the object's own blocks, as if it were alone. */
@ExtendWith(BufferLeakExtension.class)
class ObjectSliceTest {
    private static final ObjectRef OBJECT = new ObjectRef(new BucketName("bucket"), new ObjectKey("container"));
    private static final int OFFSET = 1_000_000;

    @TempDir
    Path folder;

    private final byte[] bytes = new byte[3_000_000];
    private BlockCache cache;
    private CurrentObject.Cached whole;

    @BeforeEach
    void start() throws IOException {
        new Random(5).nextBytes(bytes);
        InMemoryBackend backend = new InMemoryBackend(EnumSet.noneOf(Capability.class)).createBucket(OBJECT.bucket());
        backend.store(OBJECT, bytes, HeaderList.EMPTY);
        cache = CacheFixture.in(folder);
        CurrentObjectFinder finder =
                new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
        BucketView bucket = BucketViews.of("bucket", backend, "bucket", "");
        whole = (CurrentObject.Cached)
                Objects.requireNonNull(finder.find(bucket, ReadRequest.of(OBJECT), RequestCacheControl.NONE, false)
                        .block());
    }

    @AfterEach
    void stop() {
        cache.close();
    }

    private CurrentObject.Cached slice(long size) {
        Optional<ETag> tag = Optional.of(ETag.strong("slice"));
        ObjectVersion version = ObjectVersion.ofETag(tag, size, Optional.empty());
        ObjectHead head = new ObjectHead(version, tag, Optional.empty(), HeaderList.EMPTY);
        return whole.ofSlice(new ObjectSlice(head, OFFSET), Optional.empty());
    }

    @Test
    void rangesAreCountedFromItsOwnFirstByte() {
        CurrentObject.Cached slice = slice(100_000);

        assertThat(slice.head().size()).isEqualTo(100_000);
        assertThat(slice.metadata().size()).isEqualTo(bytes.length);
        assertThat(read(slice, new ByteRange(0, 99_999)))
                .isEqualTo(Arrays.copyOfRange(bytes, OFFSET, OFFSET + 100_000));
        assertThat(read(slice, new ByteRange(7, 7))).isEqualTo(Arrays.copyOfRange(bytes, OFFSET + 7, OFFSET + 8));
    }

    @Test
    void itsBytesAreThoseThatAreCached() {
        CurrentObject.Cached slice = slice(40_000);
        ByteRange all = new ByteRange(0, 39_999);
        assertThat(slice.isFullyResident(all).block()).isFalse();

        byte[] read = read(whole, new ByteRange(OFFSET, OFFSET));

        assertThat(read).hasSize(1);
        Polling.until(
                "its block is on a disk",
                () -> Boolean.TRUE.equals(slice.isFullyResident(all).block()));
        assertThat(slice.status(all).forwarded()).isEqualTo(slice.status().forwarded());
    }

    private static byte[] read(CurrentObject.Cached object, ByteRange range) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        object.readBuffers(range).doOnNext(piece -> add(all, piece)).blockLast();
        return all.toByteArray();
    }

    private static void add(ByteArrayOutputStream all, ByteBuf piece) {
        byte[] part = new byte[piece.readableBytes()];
        piece.readBytes(part).release();
        all.writeBytes(part);
    }
}
