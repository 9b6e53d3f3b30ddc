package io.millrace.backend.s3;

import io.millrace.backend.spi.ObjectContent;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** Reads the body of an object into a byte array. */
final class ContentReader {
    private ContentReader() {}

    /** All bytes; fails as the body does. */
    static byte[] read(ObjectContent content) {
        return Objects.requireNonNull(collect(content).block(Duration.ofSeconds(30)));
    }

    /** Reads the body without blocking. */
    static Mono<byte[]> collect(ObjectContent content) {
        return content.body()
                .reduceWith(ByteArrayOutputStream::new, (bytes, piece) -> {
                    bytes.writeBytes(ByteBufUtil.getBytes(piece));
                    piece.release();
                    return bytes;
                })
                .map(ByteArrayOutputStream::toByteArray);
    }
}
