package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.testkit.LeakGuard;
import io.millrace.backend.testkit.ReservedPort;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** What the tests with a {@link RawOrigin} share. */
@ExtendWith(LeakGuard.class)
abstract class RawBackendTest {
    static final BucketName BUCKET = new BucketName("bucket");
    static final ReadRequest KEY = key("key");

    /** Longer than anything takes here on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private @Nullable RawOrigin origin;
    private @Nullable Backend backend;
    private @Nullable ReservedPort nobody;

    @AfterEach
    void stop() throws IOException {
        if (backend != null) {
            backend.close().block(PATIENCE);
        }
        if (origin != null) {
            origin.close();
        }
        if (nobody != null) {
            nobody.close();
        }
    }

    final RawOrigin origin() {
        return Objects.requireNonNull(origin);
    }

    /** A backend in front of a server with this script. */
    final Backend backend(RawOrigin.Script script) throws IOException {
        return backend(script, 64, Duration.ofSeconds(10), Duration.ofSeconds(10));
    }

    final Backend backend(RawOrigin.Script script, int maxConnections, Duration firstByte, Duration idle)
            throws IOException {
        origin = RawOrigin.start(script);
        backend = new S3BackendProvider().create("raw", origin.server().settings(maxConnections, firstByte, idle));
        return backend;
    }

    /** A server that refuses every connection. */
    final S3Server nobody() throws IOException {
        ReservedPort port = nobody == null ? new ReservedPort() : nobody;
        nobody = port;
        return S3Server.at(port.uri());
    }

    /** A backend in front of {@link #nobody}. */
    final Backend backendOfNobody() throws IOException {
        Backend made = new S3BackendProvider().create("raw", nobody().settings());
        backend = made;
        return made;
    }

    /** A backend of which the operator does not say how its server takes conditions. */
    final Backend undeclared(RawOrigin.Script script) throws IOException {
        origin = RawOrigin.start(script);
        S3Server server = new S3Server(origin.uri(), "test-key", "test-secret", "us-east-1");
        backend = server.backend();
        return backend;
    }

    /** A backend of which the operator says that its server honours conditions of these writes. */
    final Backend declared(RawOrigin.Script script, ConditionalWrite... honoured) throws IOException {
        origin = RawOrigin.start(script);
        backend = origin.server().honouring(honoured).backend();
        return backend;
    }

    static ReadRequest key(String key) {
        return ReadRequest.of(new ObjectRef(BUCKET, new ObjectKey(key)));
    }

    static ObjectContent open(Backend backend, ReadRequest request) {
        return await(backend.open(request));
    }

    static byte[] read(Backend backend, ReadRequest request) {
        return Bodies.read(open(backend, request));
    }

    static <T> T await(Mono<T> answer) {
        return Objects.requireNonNull(answer.block(PATIENCE), "an answer");
    }

    static BackendException failure(Mono<?> answer) {
        return Objects.requireNonNull(
                catchThrowableOfType(BackendException.class, () -> answer.block(PATIENCE)), "a failure");
    }

    static BackendException openFailure(Backend backend, ReadRequest request) {
        return failure(backend.open(request).doOnNext(ObjectContent::discard));
    }

    static BackendException bodyFailure(ObjectContent content) {
        return Objects.requireNonNull(
                catchThrowableOfType(BackendException.class, () -> Bodies.read(content)), "a failure");
    }

    static void assertKind(BackendException failure, BackendException.Kind kind) {
        assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
    }
}
