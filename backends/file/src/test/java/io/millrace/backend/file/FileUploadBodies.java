package io.millrace.backend.file;

import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import reactor.core.publisher.Flux;

/** Creates upload bodies whose pieces are allocated on demand. */
final class FileUploadBodies {
    private static final int PIECE = 64 << 10;

    private FileUploadBodies() {}

    static UploadBody of(byte[] bytes) {
        return UploadBody.of(bytes.length, flux(bytes));
    }

    static UploadBody of(long length, Flux<ByteBuf> pieces) {
        return UploadBody.of(length, pieces);
    }

    static Flux<ByteBuf> flux(byte[] bytes) {
        return Flux.generate(() -> 0, (at, sink) -> {
            int length = Math.min(PIECE, bytes.length - at);
            if (length == 0) {
                sink.complete();
            } else {
                sink.next(ByteBufAllocator.DEFAULT.buffer(length).writeBytes(bytes, at, length));
            }
            return at + length;
        });
    }
}
