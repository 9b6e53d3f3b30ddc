package io.millrace.backend.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.AddressRange;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.server.ScriptedHub;
import io.millrace.backend.testkit.server.ScriptedServer;
import io.millrace.backend.testkit.server.WebPageContract;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Runs the contract of pages in a server's place against a Hub backend. */
class HubWebPageTest extends WebPageContract {
    private static final String COMMIT = ScriptedHub.commit(1);

    @Override
    protected Backend connect(URI url) {
        return new HubBackendProvider()
                .create(
                        "hub",
                        new HubBackendSettings(
                                WebUrl.parse(url.toString()),
                                Optional.empty(),
                                Duration.ofMinutes(5),
                                List.of(),
                                List.of(AddressRange.parse("127.0.0.1")),
                                new ConnectionSettings(
                                        16,
                                        BackendTlsSettings.DEFAULTS,
                                        Optional.empty(),
                                        HubFixture.SOON,
                                        HubFixture.SOON,
                                        HubFixture.SOON)));
    }

    @Override
    protected ObjectRef object() {
        return new ObjectRef(new BucketName("models"), new ObjectKey("org/name/" + COMMIT + "/config.json"));
    }

    @Override
    protected String prefix() {
        return "org/name/" + COMMIT + "/";
    }

    /** The commit is known, and then a page comes in place of the file. */
    @Test
    void pageInPlaceOfAFileIsNoFile() throws IOException {
        String page = "<html><body>Back soon.</body></html>";
        String revision = "{\"sha\":\"%s\",\"lastModified\":\"2026-08-04T10:11:12.000Z\"}".formatted(COMMIT);
        try (ScriptedServer server = ScriptedServer.start((request, wire) -> {
            boolean known = request.target().contains("/revision/");
            String body = known ? revision : page;
            wire.head(
                    "200 OK",
                    "Content-Type: " + (known ? "application/json" : "text/html"),
                    "Content-Length: " + body.length());
            wire.text(request.method().equals("HEAD") ? "" : body);
        })) {
            Backend backend = connect(server.uri());

            HubFixture.assertKind(
                    () -> HubFixture.open(backend, ReadRequest.of(object())), FailureKind.INVALID_RESPONSE);
            HubFixture.assertKind(
                    () -> backend.head(ReadRequest.of(object())).block(HubFixture.SOON), FailureKind.INVALID_RESPONSE);
            assertThat(server.requests()).anyMatch(request -> request.target().contains("/resolve/"));
            backend.close().block(HubFixture.SOON);
        }
    }
}
