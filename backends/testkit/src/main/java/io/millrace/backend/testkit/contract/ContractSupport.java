package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.UploadBodies;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** The backend under test and short methods to use it, shared by all contract tests. */
interface ContractSupport {
    /** Longer than any response takes on a busy machine; a test that reaches it hangs. */
    Duration TIMEOUT = Duration.ofSeconds(60);

    Backend backend();

    BucketName bucket();

    void seed(ObjectKey key, byte[] bytes, HeaderList headers);

    void remove(ObjectKey key);

    boolean supportsKey(ObjectKey key);

    boolean storesHeaders();

    void seedParts(ObjectKey key, List<byte[]> parts);

    void seedVersions(ObjectKey key, List<byte[]> contents);

    /** Stores the generated content of a key. */
    default ObjectKey seeded(String name, int size) {
        ObjectKey key = new ObjectKey(name);
        seed(key, GeneratedBytes.of(name).first(size), HeaderList.EMPTY);
        return key;
    }

    /**
     * Stores an object under each name. A name that ends in a slash gets an empty object, as consoles create folders:
     * some servers respond to such a PUT without reading its body, and close the connection while the client still
     * sends it.
     */
    default void seedNames(Iterable<String> names) {
        names.forEach(name -> seeded(name, name.endsWith("/") ? 0 : 1));
    }

    /**
     * Returns the name of a folder, which ends in a slash; if the backend cannot hold such an object, that of one
     * directly below it.
     */
    default String folder(String name) {
        return supportsKey(new ObjectKey(name)) ? name : name + "!";
    }

    /** Returns a request for the whole current object. */
    default ReadRequest readRequest(ObjectKey key) {
        return ReadRequest.of(new ObjectRef(bucket(), key));
    }

    default HeadResult head(ReadRequest request) {
        return await(backend().head(request));
    }

    default ObjectContent open(ReadRequest request) {
        return await(backend().open(request));
    }

    /** Returns the bytes of a read, after checking their number. */
    default byte[] read(ReadRequest request) {
        ObjectContent content = open(request);
        byte[] bytes = drain(content);
        assertThat(bytes.length).as("bytes of the body").isEqualTo(content.length());
        return bytes;
    }

    default byte[] drain(ObjectContent content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        content.body()
                .doOnNext(piece -> bytes.writeBytes(UploadBodies.takeBytes(piece)))
                .then()
                .block(TIMEOUT);
        return bytes.toByteArray();
    }

    default boolean supports(Capability capability) {
        return backend().capabilities().contains(capability);
    }

    /** Asserts that head and open fail with this kind; returns the error of open. */
    default BackendException assertFails(ReadRequest request, BackendException.FailureKind kind) {
        assertFailure(backend().head(request), kind);
        return assertFailure(backend().open(request).doOnNext(ObjectContent::discard), kind);
    }

    static BackendException assertFailure(Mono<?> response, BackendException.FailureKind kind) {
        BackendException failure = catchThrowableOfType(BackendException.class, () -> response.block(TIMEOUT));
        assertThat(failure).as("a failure of kind %s", kind).isNotNull();
        assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
        return failure;
    }

    static <T> T await(Mono<T> response) {
        return Objects.requireNonNull(response.block(TIMEOUT), "an answer");
    }
}
