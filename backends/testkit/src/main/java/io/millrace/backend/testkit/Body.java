package io.millrace.backend.testkit;

import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;

/** Bodies of uploads, made piece by piece as they are asked for. */
final class Body {
    /** Smaller than a piece of a read, and no divisor of any size the cases use. */
    static final int PIECE = 10_007;

    private Body() {}

    static UploadBody of(byte[] bytes) {
        return UploadBody.of(bytes.length, pieces(bytes, bytes.length));
    }

    /** Tells its checksum only behind its bytes. */
    static UploadBody withTrailer(byte[] bytes, String name, String value) {
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

    /** Announces all of {@code bytes} and brings the first {@code upTo}. */
    static UploadBody cut(byte[] bytes, int upTo) {
        return UploadBody.of(bytes.length, pieces(bytes, upTo));
    }

    /** Fails behind the first {@code upTo} bytes. */
    static UploadBody failing(byte[] bytes, int upTo, Throwable failure) {
        return UploadBody.of(bytes.length, pieces(bytes, upTo).concatWith(Flux.error(failure)));
    }

    /** The first {@code upTo} bytes, each piece made when it is asked for. */
    static Flux<ByteBuf> pieces(byte[] bytes, int upTo) {
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
}
