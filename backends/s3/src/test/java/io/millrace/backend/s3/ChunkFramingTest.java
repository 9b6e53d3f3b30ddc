package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.UploadBody.Trailer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** A socket copies all of what is not wholly off the heap, so a few bytes of framing would double the price of a piece. */
class ChunkFramingTest {
    private static final int LENGTH = 300 << 10;

    @Test
    void aPieceOffTheHeapStaysThereInItsChunks() {
        ChunkFraming framing = new ChunkFraming(LENGTH, new Trailer("x-amz-checksum-crc32", () -> "AAAAAA=="));

        ByteBuf framed = framing.frame(Unpooled.directBuffer(LENGTH).writeZero(LENGTH));
        ByteBuf end = framing.end();

        assertThat(framed.isDirect()).isTrue();
        assertThat(end.isDirect()).isTrue();
        assertThat(framed.readableBytes() + end.readableBytes()).isEqualTo((int) framing.wireLength());
        framed.release();
        end.release();
    }
}
