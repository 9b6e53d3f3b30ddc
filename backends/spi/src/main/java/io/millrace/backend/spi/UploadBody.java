package io.millrace.backend.spi;

import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;

/**
 * The body of a write: a stream of known length and an optional trailing checksum. The backend subscribes to {@code
 * pieces} at most once, owns and releases each buffer, cancels the stream when the write fails, and fails the write
 * with the exception of the stream.
 *
 * @param length total bytes; {@code pieces} emits exactly these, or fails before it emits the last one, so that the
 *     backend never has all of an invalid body
 * @param trailer a checksum that the client sends after the bytes
 */
public record UploadBody(long length, Flux<ByteBuf> pieces, Optional<Trailer> trailer) {
    /**
     * A trailer field with a checksum.
     *
     * @param name such as {@code x-amz-checksum-crc32}, in lower case
     * @param value available after the last buffer was emitted; throws {@link IllegalStateException} before
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

    /** Returns a body without a trailer. */
    public static UploadBody of(long length, Flux<ByteBuf> pieces) {
        return new UploadBody(length, pieces, Optional.empty());
    }
}
