package io.millrace.gateway.jobs.plan;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;

/** Splits a stream of buffers into lines. Holds a buffer and a line. */
final class TextLineReader {
    /** Bytes of a percent-encoded key and the other columns of an inventory. */
    private static final int LONGEST = 16 << 10;

    private final ByteArrayOutputStream line = new ByteArrayOutputStream(200);
    private long number;

    private TextLineReader() {}

    /** Reads the lines of a body without their ends; releases the buffers. */
    static Flux<String> of(Flux<ByteBuf> body) {
        return Flux.defer(() -> {
            TextLineReader lines = new TextLineReader();
            // An operator that prefetches must hold no buffers, because nothing releases them after a cancel.
            return body.map(lines::take).concatMapIterable(found -> found, 1).concatWith(Flux.defer(lines::last));
        });
    }

    /** Decompresses a gzip stream. */
    static Flux<ByteBuf> unzipped(Flux<ByteBuf> body) {
        return Flux.using(GzipDecompressor::new, gunzip -> body.map(gunzip::decompress), GzipDecompressor::close);
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
            throw new PlanException("line %d of the manifest is not UTF-8".formatted(number));
        }
    }
}
