package io.millrace.cache;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCounted;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Collects the pieces of a body, as a socket would consume them. */
final class CollectedBody {
    private CollectedBody() {}

    static byte[] bytes(Flux<ReferenceCounted> body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        body.doOnNext(piece -> take(piece, out)).blockLast(Duration.ofSeconds(60));
        return out.toByteArray();
    }

    /** Collects the bytes of a body asynchronously. */
    static Mono<byte[]> soon(Flux<ReferenceCounted> body) {
        return Mono.defer(() -> {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            return body.doOnNext(piece -> take(piece, out)).then(Mono.fromSupplier(out::toByteArray));
        });
    }

    /** Writes the bytes of a piece, and releases it. */
    static void take(ReferenceCounted piece, ByteArrayOutputStream out) {
        try {
            if (piece instanceof FileRegion region) {
                WritableByteChannel channel = Channels.newChannel(out);
                while (region.transferred() < region.count()) {
                    region.transferTo(channel, region.transferred());
                }
            } else {
                ByteBuf bytes = (ByteBuf) piece;
                bytes.getBytes(bytes.readerIndex(), out, bytes.readableBytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            piece.release();
        }
    }
}
