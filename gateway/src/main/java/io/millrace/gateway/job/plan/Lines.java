package io.millrace.gateway.job.plan;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.JdkZlibDecoder;
import io.netty.handler.codec.compression.ZlibWrapper;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;

/** The lines of a text that comes in pieces, perhaps compressed. Holds a piece and a line. */
final class Lines {
    /** A key in percent-encoding, and what a list tells besides. */
    private static final int LONGEST = 16 << 10;

    /** What one piece of a compressed text may become: no text is repeated so often. */
    private static final int LARGEST_PIECE = 64 << 20;

    private final ByteArrayOutputStream line = new ByteArrayOutputStream(200);
    private long number;

    private Lines() {}

    /** The lines of a body, without their ends; its pieces are released. */
    static Flux<String> of(Flux<ByteBuf> body) {
        return Flux.defer(() -> {
            Lines lines = new Lines();
            return body.concatMapIterable(lines::take, 1).concatWith(Flux.defer(lines::last));
        });
    }

    /** What a gzip file holds. */
    static Flux<ByteBuf> unzipped(Flux<ByteBuf> body) {
        return Flux.using(
                () -> new EmbeddedChannel(new JdkZlibDecoder(ZlibWrapper.GZIP, true, LARGEST_PIECE)),
                gunzip -> body.concatMapIterable(
                        piece -> {
                            gunzip.writeInbound(piece);
                            List<ByteBuf> out = new ArrayList<>();
                            for (ByteBuf next = gunzip.readInbound(); next != null; next = gunzip.readInbound()) {
                                out.add(next);
                            }
                            return out;
                        },
                        1),
                EmbeddedChannel::finishAndReleaseAll);
    }

    private List<String> take(ByteBuf piece) {
        List<String> found = new ArrayList<>();
        try {
            while (piece.isReadable()) {
                int end = piece.bytesBefore((byte) '\n');
                int bytes = end < 0 ? piece.readableBytes() : end;
                append(piece, bytes);
                if (end >= 0) {
                    piece.skipBytes(1);
                    found.add(text());
                }
            }
        } finally {
            piece.release();
        }
        return found;
    }

    private Flux<String> last() {
        return line.size() == 0 ? Flux.empty() : Flux.just(text());
    }

    private void append(ByteBuf piece, int bytes) {
        if (line.size() + bytes > LONGEST) {
            throw new PlanException("line %d of the manifest is longer than any key".formatted(number + 1));
        }
        byte[] part = new byte[bytes];
        piece.readBytes(part);
        line.writeBytes(part);
    }

    private String text() {
        number++;
        byte[] bytes = line.toByteArray();
        line.reset();
        int length = bytes.length > 0 && bytes[bytes.length - 1] == '\r' ? bytes.length - 1 : bytes.length;
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new PlanException("line %d of the manifest is no UTF-8".formatted(number));
        }
    }
}
