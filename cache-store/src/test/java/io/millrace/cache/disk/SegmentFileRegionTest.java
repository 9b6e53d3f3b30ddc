package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that leaves says nothing about the disk; a file that takes long to be sent does. */
class SegmentFileRegionTest {
    @TempDir
    Path folder;

    private final PageCacheEstimate likelyInMemory = new PageCacheEstimate(8 << 20);
    private final AtomicInteger unreadable = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong(1);
    private Segment segment;

    @BeforeEach
    void create() throws IOException {
        segment = Segment.create(folder, 1, UUID.randomUUID(), Runnable::run, () -> {});
        likelyInMemory.touch(segment, 0, Segment.HEADER);
    }

    @Test
    void regionThatWasGivenUpIsNoSlowRead() {
        SegmentFileRegion region = region();
        assertThat(region.count()).isEqualTo(Segment.HEADER);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
        region.release();

        assertThat(likelyInMemory.holds(segment, 0, 10)).isTrue();
    }

    @Test
    void regionThatTookLongIsASlowRead() throws IOException {
        SegmentFileRegion region = region();
        assertThat(region.count()).isEqualTo(Segment.HEADER);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        region.transferTo(Channels.newChannel(out), 0);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
        region.release();

        assertThat(out.size()).isEqualTo(Segment.HEADER);
        assertThat(likelyInMemory.holds(segment, 0, 10)).isFalse();
    }

    /** Else a dead disk would break the same answer again and again, and its backend would never be asked. */
    @Test
    void unreadableRegionRemovesItsBlock() throws IOException {
        SegmentFileRegion region = region();
        assertThat(region.count()).isEqualTo(Segment.HEADER);
        segment.writing().truncate(1);
        region.release();

        assertThat(unreadable).hasValue(1);
    }

    @Test
    void clientThatLeavesTakesNothingOut() {
        SegmentFileRegion region = region();
        assertThat(region.count()).isEqualTo(Segment.HEADER);
        region.release();

        assertThat(unreadable).hasValue(0);
    }

    private SegmentFileRegion region() {
        assertThat(segment.acquire()).isTrue();
        return new SegmentFileRegion(
                segment,
                likelyInMemory,
                0,
                Segment.HEADER,
                failure -> unreadable.incrementAndGet(),
                Runnable::run,
                nanos::get);
    }
}
