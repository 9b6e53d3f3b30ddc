package io.millrace.backend.testkit.data;

import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;

/** Creates upload bodies whose pieces are allocated on demand. */
public final class UploadBodies {
    /** Bytes of a piece: less than a piece of a read, and no divisor of any size the tests use. */
    public static final int PIECE = 10_007;

    private UploadBodies() {}

    public static UploadBody of(byte[] bytes) {
        return UploadBody.of(bytes.length, pieces(bytes, bytes.length));
    }

    /** Creates a body with its checksum in the trailer. */
    public static UploadBody withTrailer(byte[] bytes, String name, String value) {
        boolean[] handedOut = {bytes.length == 0};
        Flux<ByteBuf> pieces = pieces(bytes, bytes.length).doOnComplete(() -> handedOut[0] = true);
        UploadBody.Trailer trailer = new UploadBody.Trailer(name, () -> {
            if (!handedOut[0]) {
                throw new IllegalStateException("the last piece is not handed out yet");
            }
            return value;
        });
        return new UploadBody(bytes.length, pieces, Optional.of(trailer));
    }

    /** Creates a body that announces all of {@code bytes} and ends after the first {@code upTo}. */
    public static UploadBody truncated(byte[] bytes, int upTo) {
        return UploadBody.of(bytes.length, pieces(bytes, upTo));
    }

    /** Creates a body that fails after the first {@code upTo} bytes. */
    public static UploadBody failing(byte[] bytes, int upTo, Throwable failure) {
        return UploadBody.of(bytes.length, pieces(bytes, upTo).concatWith(Flux.error(failure)));
    }

    /** Publishes the first {@code upTo} bytes, each piece allocated on demand. */
    public static Flux<ByteBuf> pieces(byte[] bytes, int upTo) {
        return Flux.generate(() -> 0, (at, sink) -> piece(bytes, at, upTo, sink));
    }

    private static int piece(byte[] bytes, int at, int upTo, SynchronousSink<ByteBuf> sink) {
        int length = Math.min(PIECE, upTo - at);
        if (length == 0) {
            sink.complete();
            return at;
        }
        sink.next(ByteBufAllocator.DEFAULT.buffer(length).writeBytes(bytes, at, length));
        return at + length;
    }

    /** Returns the bytes of a piece, and releases it. */
    public static byte[] takeBytes(ByteBuf piece) {
        try {
            return ByteBufUtil.getBytes(piece);
        } finally {
            piece.release();
        }
    }
}
