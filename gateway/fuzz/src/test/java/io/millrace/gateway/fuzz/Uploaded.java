package io.millrace.gateway.fuzz;

import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** What a backend was sent to be stored, one char a byte. */
final class Uploaded {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean begun;
    private boolean whole;

    void clear() {
        bytes.reset();
        begun = false;
        whole = false;
    }

    /** Takes all of a body. */
    Mono<Void> take(UploadBody body) {
        begun = true;
        return body.pieces().doOnNext(this::take).then(Mono.fromRunnable(() -> {
            if (bytes.size() != body.length()) {
                throw new AssertionError(bytes.size() + " bytes came, not " + body.length());
            }
            whole = body.trailer()
                    .map(trailer -> !trailer.value().get().isEmpty())
                    .orElse(true);
        }));
    }

    /** What was stored; empty if nothing, or nothing whole. */
    Optional<String> stored() {
        return whole ? Optional.of(text()) : Optional.empty();
    }

    /** What has come, whole or not. */
    String text() {
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    boolean isBegun() {
        return begun;
    }

    private void take(ByteBuf piece) {
        byte[] content = new byte[piece.readableBytes()];
        piece.readBytes(content);
        piece.release();
        if (content.length == 0) {
            throw new AssertionError("an empty piece");
        }
        bytes.writeBytes(content);
    }
}
