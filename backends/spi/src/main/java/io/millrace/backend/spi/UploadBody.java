package io.millrace.backend.spi;

import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;

/**
 * Bytes on their way to a backend. {@code pieces} is subscribed to once, or never; the backend owns and releases each piece,
 * cancels it when the write fails, and fails the write with the same exception if it fails.
 *
 * @param length bytes in all; {@code pieces} brings exactly these, or fails before it has handed out the last one, so that
 *     nothing that was found wrong is ever whole at the backend
 * @param trailer a checksum that the client tells only behind its bytes
 */
public record UploadBody(long length, Flux<ByteBuf> pieces, Optional<Trailer> trailer) {
    /**
     * A field behind the bytes.
     *
     * @param name such as {@code x-amz-checksum-crc32}, in lower case
     * @param value known as soon as the last piece has been handed out; throws {@link IllegalStateException} before
     */
    public record Trailer(String name, Supplier<String> value) {}

    /**
     * @throws IllegalArgumentException if {@code length} is negative
     */
    public UploadBody {
        if (length < 0) {
            throw new IllegalArgumentException("negative length: " + length);
        }
    }

    /** A body without a trailer. */
    public static UploadBody of(long length, Flux<ByteBuf> pieces) {
        return new UploadBody(length, pieces, Optional.empty());
    }
}
