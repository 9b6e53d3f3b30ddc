package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.HeaderList.Field;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/** An answer that is here whole. */
final class Reply {
    /** About the transport, and about nobody's object. */
    private static final Set<String> NOT_TOLD =
            Set.of("x-amz-request-id", "x-amz-id-2", "x-amz-cf-id", "x-amz-bucket-region", "x-amz-date");

    private final int status;
    private final HeaderList fields;
    private final byte[] bytes;

    private Reply(int status, HeaderList fields, byte[] bytes) {
        this.status = status;
        this.fields = fields;
        this.bytes = bytes;
    }

    /**
     * Reads an answer to its end, or fails with {@link Kind#BROKEN_ANSWER} behind {@code maxBytes}.
     *
     * @param what for the message
     */
    static Mono<Reply> of(WireAnswer answer, int maxBytes, String what) {
        return answer.body()
                .reduceWith(ByteArrayOutputStream::new, (bytes, piece) -> add(bytes, piece, maxBytes, what))
                .map(bytes -> new Reply(answer.status(), new HeaderList(answer.fields()), bytes.toByteArray()));
    }

    int status() {
        return status;
    }

    /** The fields of its head, as they came. */
    HeaderList fields() {
        return fields;
    }

    /** Its body, which the caller must not change. */
    byte[] bytes() {
        return bytes;
    }

    /** Every {@code x-amz-*} that a client is told: what the server says of the object. */
    HeaderList told() {
        return told(Set.of());
    }

    /** The same, and the fields of these names. */
    HeaderList told(Set<String> more) {
        return told(fields, more);
    }

    /** The same of the fields of an answer whose body is still on its way. */
    static HeaderList told(HeaderList fields, Set<String> more) {
        List<Field> told = fields.fields().stream()
                .filter(field -> more.contains(field.name())
                        || (field.name().startsWith("x-amz-") && !NOT_TOLD.contains(field.name())))
                .toList();
        return new HeaderList(told);
    }

    Optional<String> header(String name) {
        return fields.first(name);
    }

    private static ByteArrayOutputStream add(ByteArrayOutputStream bytes, ByteBuf piece, int maxBytes, String what) {
        bytes.writeBytes(ByteBufUtil.getBytes(piece));
        piece.release();
        if (bytes.size() > maxBytes) {
            throw new BackendException(
                    Kind.BROKEN_ANSWER, "the answer is %s of more than %d bytes".formatted(what, maxBytes));
        }
        return bytes;
    }
}
