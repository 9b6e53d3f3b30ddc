package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Result of decoding a body: the emitted bytes and the error, if any. It allocates all buffers from an allocator of its
 * own and requires that all are released.
 */
final class Decoded {
    private final byte[] bytes;
    private final @Nullable Throwable failure;

    private Decoded(byte[] bytes, @Nullable Throwable failure) {
        this.bytes = bytes;
        this.failure = failure;
    }

    /** Reads {@code wire} cut at {@code cuts}, which ascend. */
    static Decoded of(PayloadVerifier reader, byte[] wire, int... cuts) {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Flux<ByteBuf> raw = Flux.range(0, cuts.length + 1).map(i -> {
            int from = i == 0 ? 0 : cuts[i - 1];
            int to = i == cuts.length ? wire.length : cuts[i];
            return allocator.heapBuffer(Math.max(1, to - from)).writeBytes(wire, from, to - from);
        });
        Throwable[] failure = new Throwable[1];
        reader.decode(raw)
                .subscribe(
                        piece -> {
                            assertThat(piece.isReadable()).isTrue();
                            out.writeBytes(ByteBufUtil.getBytes(piece));
                            piece.release();
                        },
                        error -> failure[0] = error);
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .as("bytes not released")
                .isZero();
        return new Decoded(out.toByteArray(), failure[0]);
    }

    static Decoded of(PayloadVerifier reader, String wire, int... cuts) {
        return of(reader, wire.getBytes(StandardCharsets.ISO_8859_1), cuts);
    }

    /** Cut every {@code step} bytes. */
    static Decoded inSteps(PayloadVerifier reader, byte[] wire, int step) {
        int[] cuts = new int[Math.max(0, (wire.length - 1) / step)];
        for (int i = 0; i < cuts.length; i++) {
            cuts[i] = (i + 1) * step;
        }
        return of(reader, wire, cuts);
    }

    byte[] bytes() {
        return bytes;
    }

    @Nullable Throwable failure() {
        return failure;
    }

    void assertWhole(byte[] payload) {
        assertThat(failure).isNull();
        assertThat(bytes).isEqualTo(payload);
    }

    /** Refused for one of these reasons, before {@code payload} was whole. */
    void assertRefused(byte[] payload, Code... codes) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(List.of(codes)).as(e.getMessage()).contains(e.code()));
        assertThat(payload.length == 0 || bytes.length < payload.length).isTrue();
    }

    /** Asserts that all emitted bytes are a prefix of {@code payload}. */
    void assertBegins(byte[] payload) {
        assertThat(bytes).isEqualTo(Arrays.copyOf(payload, bytes.length));
    }
}
