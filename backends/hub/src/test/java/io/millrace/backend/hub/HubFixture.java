package io.millrace.backend.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.http.AddressRange;
import io.millrace.backend.http.AllowedUrlPattern;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.backend.testkit.server.ScriptedHub;
import io.millrace.config.Secret;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Backends over a scripted Hub, and reads of what they have. */
final class HubFixture {
    static final Duration SOON = Duration.ofSeconds(60);
    static final BucketName MODELS = new BucketName("models");

    private HubFixture() {}

    /** Returns a backend that may follow redirects to the storage of the Hub. */
    static Backend backend(ScriptedHub hub, Optional<String> token, Duration branchTtl) {
        return backend(hub, token, branchTtl, List.of(hub.storageUrl()), List.of("127.0.0.1"));
    }

    static Backend backend(
            ScriptedHub hub,
            Optional<String> token,
            Duration branchTtl,
            List<String> redirects,
            List<String> addresses) {
        return new HubBackendProvider().create("hub", settings(hub, token, branchTtl, redirects, addresses));
    }

    /** Returns a backend over whatever is at a URL. */
    static Backend backend(URI url, Optional<String> token) {
        return new HubBackendProvider()
                .create("hub", settings(url.toString(), token, SOON, List.of(), List.of("127.0.0.1")));
    }

    static HubBackendSettings settings(
            ScriptedHub hub,
            Optional<String> token,
            Duration branchTtl,
            List<String> redirects,
            List<String> addresses) {
        return settings(hub.url(), token, branchTtl, redirects, addresses);
    }

    private static HubBackendSettings settings(
            String url, Optional<String> token, Duration branchTtl, List<String> redirects, List<String> addresses) {
        return new HubBackendSettings(
                WebUrl.parse(url),
                token.map(Secret::of),
                branchTtl,
                redirects.stream().map(AllowedUrlPattern::parse).toList(),
                addresses.stream().map(AddressRange::parse).toList(),
                new ConnectionSettings(16, BackendTlsSettings.DEFAULTS, Optional.empty(), SOON, SOON, SOON));
    }

    static ReadRequest request(String bucket, String key) {
        return ReadRequest.of(new ObjectRef(new BucketName(bucket), new ObjectKey(key)));
    }

    static ObjectContent open(Backend backend, ReadRequest request) {
        return Objects.requireNonNull(backend.open(request).block(SOON));
    }

    static byte[] read(Backend backend, ReadRequest request) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        open(backend, request)
                .body()
                .doOnNext(piece -> bytes.writeBytes(UploadBodies.takeBytes(piece)))
                .then()
                .block(SOON);
        return bytes.toByteArray();
    }

    static BackendException failure(ThrowingCallable call) {
        BackendException failure = catchThrowableOfType(BackendException.class, call);
        assertThat(failure).isNotNull();
        return failure;
    }

    static void assertKind(ThrowingCallable call, FailureKind kind) {
        BackendException failure = failure(call);
        assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
    }
}
