package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.SelectedHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** What the cases share: the subject, and short ways to ask it. */
interface ContractCases {
    /** Longer than any healthy answer takes on a busy machine; a case that reaches it hangs. */
    Duration PATIENCE = Duration.ofSeconds(60);

    Backend backend();

    BucketName bucket();

    void seed(ObjectKey key, byte[] bytes, HeaderList headers);

    void remove(ObjectKey key);

    boolean canHold(ObjectKey key);

    void seedParts(ObjectKey key, List<byte[]> parts);

    void seedVersions(ObjectKey key, List<byte[]> contents);

    /** Stores the computed content of a key. */
    default ObjectKey seeded(String name, int size) {
        ObjectKey key = new ObjectKey(name);
        seed(key, Bytes.of(name).first(size), HeaderList.EMPTY);
        return key;
    }

    /**
     * Stores something under each name. A name that ends in a slash gets an empty object, as consoles make folders: there are
     * servers that answer such a PUT without reading its body, and close the connection under whoever still sends it.
     */
    default void seedNames(Iterable<String> names) {
        names.forEach(name -> seeded(name, name.endsWith("/") ? 0 : 1));
    }

    /** The whole object as it is now. */
    default ReadRequest asking(ObjectKey key) {
        return ReadRequest.of(new ObjectRef(bucket(), key));
    }

    default SelectedHead head(ReadRequest request) {
        return await(backend().head(request));
    }

    default ObjectContent open(ReadRequest request) {
        return await(backend().open(request));
    }

    /** The bytes a read brings, after a check that there are as many as it promised. */
    default byte[] read(ReadRequest request) {
        ObjectContent content = open(request);
        byte[] bytes = drain(content);
        assertThat(bytes.length).as("bytes of the body").isEqualTo(content.length());
        return bytes;
    }

    default byte[] drain(ObjectContent content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        content.body()
                .doOnNext(piece -> bytes.writeBytes(takeBytes(piece)))
                .then()
                .block(PATIENCE);
        return bytes.toByteArray();
    }

    default boolean can(Capability capability) {
        return backend().capabilities().contains(capability);
    }

    /** That both ways to ask fail alike; what the read failed with. */
    default BackendException assertFails(ReadRequest request, BackendException.Kind kind) {
        failure(backend().head(request), kind);
        return failure(backend().open(request).doOnNext(ObjectContent::discard), kind);
    }

    static BackendException failure(Mono<?> answer, BackendException.Kind kind) {
        BackendException failure = catchThrowableOfType(BackendException.class, () -> answer.block(PATIENCE));
        assertThat(failure).as("a failure of kind %s", kind).isNotNull();
        assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
        return failure;
    }

    static <T> T await(Mono<T> answer) {
        return Objects.requireNonNull(answer.block(PATIENCE), "an answer");
    }

    /** The bytes of a piece, which is released. */
    static byte[] takeBytes(ByteBuf piece) {
        try {
            return ByteBufUtil.getBytes(piece);
        } finally {
            piece.release();
        }
    }
}
