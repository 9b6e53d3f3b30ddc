package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A record is found where it was written, and nowhere else. */
class RecordFormatTest {
    @Test
    void aPlaceInALargeSegmentIsNoOther() {
        long start = 300L << 20;
        BlockToWrite draft = new BlockToWrite(Fingerprint.NONE, 0, ByteBuffer.allocate(0), List.of());
        RecordHeader header = RecordHeader.of(draft, 2, start, 0, 0);

        assertThat(header.isAt(2, start)).isTrue();
        assertThat(header.isAt(3, start)).isFalse();
        assertThat(header.isAt(3, start - (256L << 20))).isFalse();
        assertThat(header.isAt(8, start)).isFalse();
    }

    @Test
    void headerIsReadAsItWasWritten() {
        BlockToWrite draft = new BlockToWrite(
                new Fingerprint(1, 2),
                77,
                ByteBuffer.wrap(new byte[] {5, 6}),
                List.of(Unpooled.wrappedBuffer(new byte[BlockPageLayout.SIZE]), Unpooled.wrappedBuffer(new byte[10])));
        RecordHeader header = RecordHeader.of(draft, 3, 4096, 99, 1000);
        ByteBuffer encoded = header.encode(new int[] {11, 12}, draft.identity());

        assertThat(RecordHeader.decodeFixed(encoded)).contains(header);
        assertThat(header.checks(encoded)).isTrue();
        assertThat(RecordHeader.checksum(encoded, 1)).isEqualTo(12);
        assertThat(header.identity(encoded)).isEqualTo(draft.identity());
        assertThat((4096 + header.bodyStart()) % 4096).isZero();
    }
}
