package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.async.DiscardedBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import java.util.function.IntConsumer;
import reactor.core.publisher.Mono;

/** An HTTP response whose whole body is in memory. */
public final class BufferedResponse {
    private final int status;
    private final HeaderList fields;
    private final byte[] bytes;

    private BufferedResponse(int status, HeaderList fields, byte[] bytes) {
        this.status = status;
        this.fields = fields;
        this.bytes = bytes;
    }

    /**
     * Reads a response to its end; fails with {@link FailureKind#INVALID_RESPONSE} after {@code maxBytes}.
     *
     * @param what names the response in the message
     */
    public static Mono<BufferedResponse> of(StreamingResponse response, int maxBytes, String what) {
        return of(response, maxBytes, what, bytes -> {});
    }

    /**
     * Reads a response to its end; fails with {@link FailureKind#INVALID_RESPONSE} after {@code maxBytes}.
     *
     * @param what names the response in the message
     * @param received takes the number of bytes so far after each piece; what it throws ends the read
     */
    public static Mono<BufferedResponse> of(
            StreamingResponse response, int maxBytes, String what, IntConsumer received) {
        return response.body()
                .reduceWith(ByteArrayOutputStream::new, (bytes, piece) -> {
                    add(bytes, piece, maxBytes, what);
                    received.accept(bytes.size());
                    return bytes;
                })
                // One that comes while another thread cancels.
                .contextWrite(DiscardedBuffers.RELEASED)
                .map(bytes -> new BufferedResponse(
                        response.status(), new HeaderList(response.fields()), bytes.toByteArray()));
    }

    public int status() {
        return status;
    }

    /** Returns the headers as received. */
    public HeaderList fields() {
        return fields;
    }

    /** Returns the body, which the caller must not modify. */
    public byte[] bytes() {
        return bytes;
    }

    public Optional<String> header(String name) {
        return fields.first(name);
    }

    private static void add(ByteArrayOutputStream bytes, ByteBuf piece, int maxBytes, String what) {
        bytes.writeBytes(ByteBufUtil.getBytes(piece));
        piece.release();
        if (bytes.size() > maxBytes) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE, "%s has more than %d bytes".formatted(what, maxBytes));
        }
    }
}
