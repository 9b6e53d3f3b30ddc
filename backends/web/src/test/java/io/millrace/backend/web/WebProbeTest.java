package io.millrace.backend.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A probe of a web server tells what its response shows, and what only a read will. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(180)
class WebProbeTest {
    private static final Optional<BucketName> BUCKET = Optional.of(new BucketName("bucket"));
    private static final Optional<BucketName> NONE = Optional.empty();

    private final ScriptedWebServer server = new ScriptedWebServer();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void folderThatRespondsLeavesNothingOpen() {
        respond(200);

        assertThat(probe(settings(ListingSource.NONE), NONE)).isEmpty();
        assertThat(probe(settings(ListingSource.NONE), BUCKET)).isEmpty();
        assertThat(server.received()).extracting(RecordedRequest::method).containsOnly("HEAD");
    }

    /** As nginx says of a folder without an index, and many of one that there is not. */
    @ParameterizedTest
    @ValueSource(ints = {403, 404, 405, 501})
    void refusalOfTheFolderLeavesItsObjectsOpen(int status) {
        respond(status);

        for (Optional<BucketName> bucket : List.of(NONE, BUCKET)) {
            assertThat(probe(settings(ListingSource.NONE), bucket))
                    .contains("it says " + status, "whether objects can be read there shows with the first read");
        }
    }

    @Test
    void onlyAReadShowsThatCredentialsAreTaken() {
        respond(200);

        assertThat(probe(settings(ListingSource.NONE).withUser("reader"), BUCKET))
                .contains("takes the credentials");
        assertThat(server.received())
                .allMatch(request -> request.header("Authorization").isPresent());
    }

    @ParameterizedTest
    @CsvSource({
        "401, CREDENTIALS_REJECTED",
        "407, CREDENTIALS_REJECTED",
        "429, THROTTLED",
        "500, UNAVAILABLE",
        "502, UNAVAILABLE"
    })
    void serverThatFailsOrRejectsDoesNotWork(int status, FailureKind kind) {
        respond(status);

        assertThat(failure(settings(ListingSource.NONE), NONE).kind()).isEqualTo(kind);
        assertThat(failure(settings(ListingSource.NONE), BUCKET).kind()).isEqualTo(kind);
    }

    @ParameterizedTest
    @EnumSource(ListingSource.class)
    void serverIsProbedWithoutABucketWhereverItsUrlIsOne(ListingSource listing) {
        server.page(
                "/sets/", ScriptedWebServer.text("text/html", "<title>Index of /sets/</title><a href=\"../\">up</a>"));

        assertThat(probe(settings(listing), NONE)).isEmpty();
        Backend wholeUrl = settings(listing).backend(false);
        assertThat(wholeUrl.probe(NONE).block()).isEmpty();
        wholeUrl.close().block();
    }

    @Test
    void pageIsNoIndex() {
        server.page("/sets/", ScriptedWebServer.text("text/html", "<html>Welcome</html>"));

        assertThat(failure(settings(ListingSource.INDEX), NONE).kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    private void respond(int status) {
        server.page("/sets/", PlannedResponse.of(status));
        server.page("/sets/bucket/", PlannedResponse.of(status));
    }

    private WebSettings settings(ListingSource listing) {
        return WebSettings.of(server.url() + "sets/", listing);
    }

    private static String probe(WebSettings settings, Optional<BucketName> bucket) {
        Backend backend = settings.backend();
        try {
            return backend.probe(bucket).blockOptional().orElseThrow();
        } finally {
            backend.close().block();
        }
    }

    private static BackendException failure(WebSettings settings, Optional<BucketName> bucket) {
        BackendException failure = catchThrowableOfType(BackendException.class, () -> probe(settings, bucket));
        assertThat(failure).isNotNull();
        return failure;
    }
}
