package io.millrace.backend.web;

import static io.millrace.backend.web.WebServerContract.assertKind;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.server.PlannedResponse;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server redirects only where the operator allows it, and takes no credentials there. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(180)
class RedirectTest {
    private static final byte[] BYTES = {1, 2, 3};
    private static final ReadRequest KEY =
            ReadRequest.of(new ObjectRef(new BucketName("bucket"), new ObjectKey("key")));

    private ScriptedWebServer server;
    private ScriptedWebServer other;

    @BeforeEach
    void start() {
        server = new ScriptedWebServer();
        other = new ScriptedWebServer();
        other.page("/elsewhere", PlannedResponse.of(200, BYTES));
    }

    @AfterEach
    void stop() {
        server.close();
        other.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void redirectWithinTheServerIsFollowed(int status) {
        server.page("/bucket/key", PlannedResponse.of(status, "Location", "/moved"));
        server.page("/moved", PlannedResponse.of(200, BYTES));
        Backend backend = settings().withUser("u").backend();

        assertThat(read(backend)).isEqualTo(BYTES);
        assertThat(server.received())
                .allMatch(request -> request.header("Authorization").equals(Optional.of("Basic dTp3b3Jk")));
        backend.close().block();
    }

    @Test
    void redirectToAnotherServerIsRefused() {
        server.page("/bucket/key", PlannedResponse.of(302, "Location", other.url() + "elsewhere"));
        Backend backend = settings().backend();

        assertKind(() -> read(backend), FailureKind.ACCESS_DENIED);
        assertThat(other.received()).isEmpty();
        backend.close().block();
    }

    @Test
    void allowedServerAtAPrivateAddressIsRefused() {
        server.page("/bucket/key", PlannedResponse.of(302, "Location", other.url() + "elsewhere"));
        Backend backend = settings().withRedirects(other.url()).backend();

        BackendException failure = Assertions.assertThrows(BackendException.class, () -> read(backend));

        assertThat(failure.kind()).isEqualTo(FailureKind.ACCESS_DENIED);
        assertThat(failure).hasMessageContaining("backends.web.allowed-private-addresses");
        assertThat(other.received()).isEmpty();
        backend.close().block();
    }

    @Test
    void allowedServerGetsNoCredentials() {
        server.page("/bucket/key", PlannedResponse.of(302, "Location", other.url() + "elsewhere"));
        Backend backend = settings()
                .withToken("secret")
                .withRedirects(other.url(), "127.0.0.1")
                .backend();

        assertThat(read(backend)).isEqualTo(BYTES);
        assertThat(server.received().get(0).header("Authorization")).contains("Bearer secret");
        assertThat(other.received()).hasSize(1);
        assertThat(other.received().get(0).header("Authorization")).isEmpty();
        backend.close().block();
    }

    @Test
    void endlessRedirectsAreRefused() {
        server.page("/bucket/key", PlannedResponse.of(302, "Location", "key"));
        Backend backend = settings().backend();

        assertKind(() -> read(backend), FailureKind.ACCESS_DENIED);
        assertThat(server.received()).hasSize(6);
        backend.close().block();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bucket/key/", "key/"})
    void redirectToAFolderIsNoSuchKey(String location) {
        server.page("/bucket/key", PlannedResponse.of(301, "Location", location));
        Backend backend = settings().backend();

        assertKind(() -> read(backend), FailureKind.NO_SUCH_KEY);
        backend.close().block();
    }

    private WebSettings settings() {
        return WebSettings.of(server.url(), ListingSource.NONE);
    }

    private static byte[] read(Backend backend) {
        return WebContentReader.bytes(Objects.requireNonNull(backend.open(KEY).block()));
    }
}
