package io.millrace.backend.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import io.millrace.backend.testkit.server.ScriptedHub;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A probe asks the Hub, and tells a Hub that is away, or that refuses a token, from what is no Hub. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(180)
class HubProbeTest {
    private static final String LIST = "[{\"_id\":\"621\",\"id\":\"org/name\",\"tags\":[\"a\"]}]";

    private final RecordingServer server = new RecordingServer();

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({"'', /api/models?limit=1", "datasets, /api/datasets?limit=1", "api, /api/models?limit=1"})
    void hubIsAskedForOneRepositoryWithTheToken(String bucket, String target) {
        server.respond(request -> PlannedResponse.json(200, LIST));
        Backend backend = HubFixture.backend(server.uri(), Optional.of("hf_good"));

        assertThat(backend.probe(Optional.of(bucket)
                                .filter(name -> !name.isEmpty())
                                .map(BucketName::new))
                        .block(HubFixture.SOON))
                .isEmpty();

        backend.close().block(HubFixture.SOON);
        assertThat(server.requests()).extracting(RecordedRequest::target).containsExactly(target);
        assertThat(server.requests().get(0).header("Authorization")).contains("Bearer hf_good");
    }

    @Test
    void closedPortDoesNotRespond() throws IOException {
        try (ReservedPort nobody = new ReservedPort()) {
            assertThat(failure(nobody.uri(), Optional.of("hf_good")).kind()).isEqualTo(FailureKind.UNAVAILABLE);
        }
    }

    @Test
    void tokenThatTheHubDoesNotKnowIsRejected() {
        try (ScriptedHub hub = new ScriptedHub()) {
            hub.rejectTokens();

            BackendException failure = failure(URI.create(hub.url()), Optional.of("hf_bad"));

            assertThat(failure.kind()).isEqualTo(FailureKind.CREDENTIALS_REJECTED);
            assertThat(failure)
                    .hasMessageStartingWith("backend 'hub' (%s".formatted(hub.url()))
                    .hasMessageContaining("correct the backend's token")
                    .hasMessageNotContaining("url");
        }
    }

    @Test
    void rejectionWithoutAWordOfTheHubMayBeOfAnotherServer() {
        server.respond(request -> PlannedResponse.of(401, "WWW-Authenticate", "Basic realm=\"files\""));

        BackendException failure = failure(server.uri(), Optional.empty());

        assertThat(failure.kind()).isEqualTo(FailureKind.CREDENTIALS_REJECTED);
        assertThat(failure).hasMessageContaining("or its url");
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 403, 405, 410})
    void refusalOfAnyWebServerIsNoneOfTheHub(int status) {
        server.respond(request -> PlannedResponse.text(status, "go away").with("Content-Type", "text/plain"));

        assertNoHub("%d, text/plain, 'go away'".formatted(status));
    }

    @Test
    void serverWithoutAListIsNoFaultUnlessABucketIsNamed() {
        server.respond(request -> PlannedResponse.text(404, "nothing here").with("Content-Type", "text/plain"));
        Backend backend = HubFixture.backend(server.uri(), Optional.of("hf_good"));

        assertThat(backend.probe(Optional.empty()).block(HubFixture.SOON))
                .contains("404 to a list of repositories", "shows with the first read");
        BackendException failure = HubFixture.failure(
                () -> backend.probe(Optional.of(HubFixture.MODELS)).block(HubFixture.SOON));
        assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
        assertThat(failure).hasMessageContaining("404, text/plain, 'nothing here'");

        backend.close().block(HubFixture.SOON);
    }

    @ParameterizedTest
    @ValueSource(strings = {"<!doctype html><html>Welcome</html>", "{}", "[{\"name\":\"file.bin\"}]", "[1]", ""})
    void successOfAnyWebServerIsNoListOfTheHub(String body) {
        server.respond(request -> PlannedResponse.text(200, body).with("Content-Type", "text/html"));

        assertNoHub("200, text/html");
    }

    @Test
    void redirectElsewhereIsNoneOfTheHub() {
        server.respond(request -> PlannedResponse.of(302, "Location", "https://login.example.org/"));

        assertNoHub("redirects to https://login.example.org/");
    }

    @ParameterizedTest
    @CsvSource({"403, ACCESS_DENIED", "429, THROTTLED", "500, UNAVAILABLE", "503, THROTTLED"})
    void errorsOfTheHubHaveTheirKind(int status, FailureKind kind) {
        server.respond(request -> PlannedResponse.of(status, "X-Error-Message", "Not for your country"));

        assertThat(failure(server.uri(), Optional.empty()).kind()).isEqualTo(kind);
    }

    private void assertNoHub(String said) {
        BackendException failure = failure(server.uri(), Optional.of("hf_good"));
        assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(FailureKind.INVALID_RESPONSE);
        assertThat(failure).hasMessageContaining(said).hasMessageContaining("check the backend's url");
    }

    /** Returns how a probe fails, with a bucket and without. */
    private static BackendException failure(URI url, Optional<String> token) {
        Backend backend = HubFixture.backend(url, token);
        List<BackendException> failures = List.of(
                HubFixture.failure(() -> backend.probe(Optional.empty()).block(HubFixture.SOON)),
                HubFixture.failure(
                        () -> backend.probe(Optional.of(HubFixture.MODELS)).block(HubFixture.SOON)));
        backend.close().block(HubFixture.SOON);
        assertThat(failures.get(0).kind()).isEqualTo(failures.get(1).kind());
        return failures.get(0);
    }
}
