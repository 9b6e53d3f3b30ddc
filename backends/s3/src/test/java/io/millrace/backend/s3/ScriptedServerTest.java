package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.http.SendableReadRequest;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.backend.testkit.server.ScriptedServer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.http.SdkHttpMethod;

/** The base class of tests with a {@link ScriptedServer}: backends, requests and assertions. */
@ExtendWith(BufferLeakExtension.class)
abstract class ScriptedServerTest {
    static final BucketName BUCKET = new BucketName("bucket");
    static final ReadRequest KEY = key("key");

    /** Longer than anything takes here on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private @Nullable ScriptedServer origin;
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

    final ScriptedServer origin() {
        return Objects.requireNonNull(origin);
    }

    /** A backend in front of a server with this script. */
    final Backend backend(ScriptedServer.ResponseScript script) throws IOException {
        return backend(script, 64, PATIENCE, PATIENCE);
    }

    final Backend backend(ScriptedServer.ResponseScript script, int maxConnections, Duration firstByte, Duration idle)
            throws IOException {
        origin = ScriptedServer.start(script);
        backend =
                TestS3Server.resilient("raw", TestS3Server.at(origin.uri()).settings(maxConnections, firstByte, idle));
        return backend;
    }

    /** A server that refuses every connection. */
    final TestS3Server refusingServer() throws IOException {
        ReservedPort port = nobody == null ? new ReservedPort() : nobody;
        nobody = port;
        return TestS3Server.at(port.uri());
    }

    /** A backend in front of {@link #nobody}. */
    final Backend backendOfRefusingServer() throws IOException {
        Backend made = TestS3Server.resilient("raw", refusingServer().settings());
        backend = made;
        return made;
    }

    /** A backend without the setting conditional-writes. */
    final Backend undeclared(ScriptedServer.ResponseScript script) throws IOException {
        origin = ScriptedServer.start(script);
        TestS3Server server = new TestS3Server(origin.uri(), "test-key", "test-secret", "us-east-1");
        backend = server.backend();
        return backend;
    }

    /** A backend whose setting conditional-writes lists these operations. */
    final Backend declared(ScriptedServer.ResponseScript script, ConditionalOperation... honoured) throws IOException {
        origin = ScriptedServer.start(script);
        backend = TestS3Server.at(origin.uri()).honouring(honoured).backend();
        return backend;
    }

    /** Returns a backend without keys in front of the server, which the caller closes. */
    final Backend anonymousBackend() {
        S3BackendSettings settings = new S3BackendSettings(
                Optional.of(origin().uri()),
                "us-east-1",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                true,
                new ConnectionSettings(4, BackendTlsSettings.DEFAULTS, Optional.empty(), PATIENCE, PATIENCE, PATIENCE),
                Optional.empty(),
                false);
        return new S3BackendProvider().create("anonymous", settings);
    }

    /** Returns the signed GET of {@code key} that goes to a region's server; a null setting is left out. */
    static HttpRequestHead signedGet(@Nullable String endpoint, @Nullable Boolean pathStyle, String bucket) {
        S3BackendSettings settings = new S3BackendSettings(
                Optional.ofNullable(endpoint).map(URI::create),
                "eu-west-9",
                Optional.ofNullable(pathStyle),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                new ConnectionSettings(4, BackendTlsSettings.DEFAULTS, Optional.empty(), PATIENCE, PATIENCE, PATIENCE),
                Optional.empty(),
                false);
        ReadRequest read = ReadRequest.of(new ObjectRef(new BucketName(bucket), new ObjectKey("key")));
        return new S3RequestSigner(S3Endpoint.of("server", settings))
                .sign(
                        S3ReadRequest.of(SdkHttpMethod.GET, SendableReadRequest.of(read)),
                        AwsBasicCredentials.create("key", "secret"));
    }

    /** Returns difficult keys, but those with a NUL, which no S3 server is asked for. */
    static List<ObjectKey> sentKeys() {
        return DifficultKeys.keys().stream()
                .filter(key -> key.value().indexOf('\0') < 0)
                .toList();
    }

    static ReadRequest key(String key) {
        return ReadRequest.of(new ObjectRef(BUCKET, new ObjectKey(key)));
    }

    static ObjectContent open(Backend backend, ReadRequest request) {
        return await(backend.open(request));
    }

    static byte[] read(Backend backend, ReadRequest request) {
        return ContentReader.read(open(backend, request));
    }

    /** Reads until a read succeeds, where on a busy machine a server takes longer for a step than its short timeout. */
    static void awaitRead(Backend backend, ReadRequest request, int length) {
        Polling.until("the object is read", () -> {
            try {
                assertThat(read(backend, request)).hasSize(length);
                return true;
            } catch (BackendException tooSlow) {
                assertKind(tooSlow, BackendException.FailureKind.UNAVAILABLE);
                return false;
            }
        });
    }

    static <T> T await(Mono<T> response) {
        return Objects.requireNonNull(response.block(PATIENCE), "an answer");
    }

    static BackendException failure(Mono<?> response) {
        return Objects.requireNonNull(
                catchThrowableOfType(BackendException.class, () -> response.block(PATIENCE)), "a failure");
    }

    static BackendException openFailure(Backend backend, ReadRequest request) {
        return failure(backend.open(request).doOnNext(ObjectContent::discard));
    }

    static BackendException bodyFailure(ObjectContent content) {
        return Objects.requireNonNull(
                catchThrowableOfType(BackendException.class, () -> ContentReader.read(content)), "a failure");
    }

    static void assertKind(BackendException failure, BackendException.FailureKind kind) {
        assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
    }
}
