package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.UploadBody.Trailer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** Tests that framing stays off the heap: Netty copies a buffer of which any part is on the heap. */
class AwsChunkedFramingTest {
    private static final int LENGTH = 300 << 10;

    @Test
    void directBuffersStayDirectWhenFramed() {
        AwsChunkedFraming framing =
                new AwsChunkedFraming(LENGTH, new Trailer("x-amz-checksum-crc32", () -> "AAAAAA=="));

        ByteBuf framed = framing.frame(Unpooled.directBuffer(LENGTH).writeZero(LENGTH));
        ByteBuf end = framing.end();

        assertThat(framed.isDirect()).isTrue();
        assertThat(end.isDirect()).isTrue();
        assertThat(framed.readableBytes() + end.readableBytes()).isEqualTo((int) framing.wireLength());
        framed.release();
        end.release();
    }
}
