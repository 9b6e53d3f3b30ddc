package io.millrace.backend.hub;

import static io.millrace.backend.hub.HubFixture.SOON;
import static io.millrace.backend.hub.HubFixture.assertKind;
import static io.millrace.backend.hub.HubFixture.failure;
import static io.millrace.backend.hub.HubFixture.open;
import static io.millrace.backend.hub.HubFixture.read;
import static io.millrace.backend.hub.HubFixture.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection.RangeSelection;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import io.millrace.backend.testkit.server.ScriptedHub;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Files are read at a commit, with the tags and sizes that the Hub tells; the token goes to the Hub alone. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(180)
class HubReadTest {
    private static final String COMMIT = ScriptedHub.commit(1);
    private static final String NEXT = ScriptedHub.commit(2);
    private static final byte[] SMALL = "0123456789".getBytes(StandardCharsets.UTF_8);
    private static final byte[] LARGE = GeneratedBytes.of("large").first(200_000);

    private ScriptedHub hub;
    private Backend backend;

    @BeforeEach
    void start() throws IOException {
        hub = new ScriptedHub();
        hub.repository("models/org/name")
                .small(COMMIT, "config.json", SMALL)
                .large(COMMIT, "sub/model.bin", LARGE)
                .branch("main", COMMIT)
                .branch("refs/pr/1", COMMIT);
        backend = HubFixture.backend(hub, Optional.of("operator"), Duration.ofMinutes(5));
    }

    @AfterEach
    void stop() {
        backend.close().block();
        hub.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"main", "refs%2Fpr%2F1", "0000000000000000000000000000000000000001"})
    void smallFileIsRead(String revision) {
        ReadRequest file = request("models", "org/name/" + revision + "/config.json");

        ObjectContent content = open(backend, file);
        content.discard();

        assertThat(read(backend, file)).isEqualTo(SMALL);
        assertThat(content.head().size()).isEqualTo(10);
        assertThat(content.head().version().hasStrongValidator()).isTrue();
        assertThat(content.head().lastModified()).contains(Instant.parse("2026-08-04T10:11:12Z"));
        assertThat(content.head().headers().first("x-amz-meta-repo-commit")).contains(COMMIT);
        assertThat(content.head().headers().first("content-type")).contains("text/plain");
        assertThat(hub.atHub().get(hub.atHub().size() - 1).target())
                .as("asked for at the commit")
                .isEqualTo("/org/name/resolve/" + COMMIT + "/config.json");
    }

    @Test
    void smallFileIsReadWhereItsHubRedirectsTo() {
        hub.repository("models/org/name").small(COMMIT, "1_Pooling/config.json", SMALL);
        hub.redirectSmallFiles();
        ReadRequest file = request("models", "org/name/main/1_Pooling/config.json");

        assertThat(read(backend, file)).isEqualTo(SMALL);
        assertThat(Objects.requireNonNull(backend.head(file).block(SOON)).head().size())
                .isEqualTo(SMALL.length);
        assertThat(hub.atHub())
                .extracting(RecordedRequest::target)
                .contains("/api/resolve-cache/models/org/name/" + COMMIT + "/1_Pooling%2Fconfig.json");
    }

    @Test
    void largeFileIsReadFromItsServerWithoutTheToken() {
        ReadRequest file = request("models", "org/name/main/sub/model.bin");

        assertThat(read(backend, file)).isEqualTo(LARGE);

        assertThat(hub.atHub()).allMatch(sent -> sent.header("authorization").equals(Optional.of("Bearer operator")));
        assertThat(hub.atStorage())
                .singleElement()
                .matches(sent -> sent.header("authorization").isEmpty());
    }

    @Test
    void tagAndSizeOfALargeFileAreThoseOfTheHub() {
        ReadRequest file = request("models", "org/name/main/sub/model.bin");

        HeadResult head = Objects.requireNonNull(backend.head(file).block(SOON));
        ObjectContent content = open(backend, file);
        content.discard();

        assertThat(head.head().size()).isEqualTo(LARGE.length);
        assertThat(head.head().eTag().orElseThrow().opaque()).hasSize(64);
        assertThat(content.head()).isEqualTo(head.head());
        assertThat(hub.atStorage())
                .extracting(RecordedRequest::method)
                .as("a HEAD ends at the Hub")
                .containsExactly("GET");
    }

    @Test
    void rangesOfALargeFileAreAskedForThere() {
        ReadRequest file = request("models", "org/name/main/sub/model.bin");

        assertThat(read(backend, file.withSelection(new RangeSelection(new RangeSpec.Bounded(1000, 1999)))))
                .isEqualTo(Arrays.copyOfRange(LARGE, 1000, 2000));
        assertThat(read(backend, file.withSelection(new RangeSelection(new RangeSpec.Suffix(8)))))
                .isEqualTo(Arrays.copyOfRange(LARGE, LARGE.length - 8, LARGE.length));
        assertThat(hub.atStorage())
                .extracting(sent -> sent.header("range"))
                .containsExactly(Optional.of("bytes=1000-1999"), Optional.of("bytes=-8"));
        assertKind(
                () -> open(backend, file.withSelection(new RangeSelection(new RangeSpec.OpenEnded(200_000)))),
                FailureKind.INVALID_RANGE);
    }

    @Test
    void rangeIsCutWhereTheHubIgnoresIt() {
        ReadRequest file = request("models", "org/name/main/config.json")
                .withSelection(new RangeSelection(new RangeSpec.Bounded(3, 5)));

        assertThat(read(backend, file)).isEqualTo("345".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void replacedFileIsNotReadForItsPredecessor() {
        ReadRequest file = request("models", "org/name/main/config.json");
        ObjectVersion version =
                Objects.requireNonNull(backend.head(file).block(SOON)).head().version();
        Backend fresh = HubFixture.backend(hub, Optional.empty(), Duration.ZERO);
        hub.repository("models/org/name").small(NEXT, "config.json", "another".getBytes(StandardCharsets.UTF_8));
        hub.repository("models/org/name").branch("main", NEXT);

        assertKind(() -> open(fresh, file.requireVersion(version)), FailureKind.VERSION_CHANGED);
        fresh.close().block();
    }

    @Test
    void branchIsResolvedOnceForAllReaders() {
        ReadRequest file = request("models", "org/name/main/config.json");

        List<HeadResult> heads = Flux.range(0, 20)
                .flatMap(number -> backend.head(file), 20)
                .collectList()
                .block(SOON);

        assertThat(heads).hasSize(20);
        assertThat(resolutions()).isEqualTo(1);
    }

    @Test
    void branchMovesAfterItsTime() {
        Backend brief = HubFixture.backend(hub, Optional.empty(), Duration.ofMillis(50));
        ReadRequest file = request("models", "org/name/main/config.json");
        byte[] before = read(brief, file);
        hub.repository("models/org/name")
                .small(NEXT, "config.json", "another".getBytes(StandardCharsets.UTF_8))
                .branch("main", NEXT);

        Polling.until("the branch has moved", () -> !Arrays.equals(read(brief, file), before));

        assertThat(read(brief, file)).isEqualTo("another".getBytes(StandardCharsets.UTF_8));
        assertThat(read(brief, request("models", "org/name/" + COMMIT + "/config.json")))
                .isEqualTo(SMALL);
        brief.close().block();
    }

    @Test
    void commitIsNotAskedForAgain() {
        Backend fresh = HubFixture.backend(hub, Optional.empty(), Duration.ZERO);
        ReadRequest file = request("models", "org/name/" + COMMIT + "/config.json");

        read(fresh, file);
        read(fresh, file);

        assertThat(resolutions()).isEqualTo(1);
        fresh.close().block();
    }

    @Test
    void gatedRepositoryIsReadWithTheTokenThatMay() {
        hub.repository("models/org/gated")
                .small(COMMIT, "config.json", SMALL)
                .branch("main", COMMIT)
                .gatedFor("operator");
        ReadRequest file = request("models", "org/gated/main/config.json");
        Backend anonymous = HubFixture.backend(hub, Optional.empty(), Duration.ofMinutes(5));

        assertThat(read(backend, file)).isEqualTo(SMALL);
        assertKind(() -> open(anonymous, file), FailureKind.ACCESS_DENIED);
        anonymous.close().block();
    }

    @Test
    void clientsOwnTokenIsSentInPlaceOfTheOperators() {
        hub.repository("models/org/gated")
                .small(COMMIT, "config.json", SMALL)
                .branch("main", COMMIT)
                .gatedFor("client");
        ReadRequest file = request("models", "org/gated/main/config.json");

        assertKind(() -> open(backend, file), FailureKind.ACCESS_DENIED);
        assertThat(read(backend, file.withHeaders(HeaderList.EMPTY.with("authorization", "Bearer client"))))
                .isEqualTo(SMALL);
        assertKind(() -> open(backend, file), FailureKind.ACCESS_DENIED);
    }

    @Test
    void refusedTokenOfAClientIsNoFailureOfTheBackend() {
        hub.repository("models/org/gated")
                .small(COMMIT, "config.json", SMALL)
                .branch("main", COMMIT)
                .gatedFor("operator");
        ReadRequest file = request("models", "org/gated/main/config.json")
                .withHeaders(HeaderList.EMPTY.with("authorization", "Bearer other"));

        assertKind(() -> open(backend, file), FailureKind.INVALID_REQUEST);
        hub.failWith(429);
        assertKind(() -> open(backend, file), FailureKind.INVALID_REQUEST);
        assertKind(() -> open(backend, request("models", "org/gated/main/config.json")), FailureKind.THROTTLED);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 410, 416, 500, 503})
    void errorOfTheStorageIsNoAbsenceAndNoDenial(int status) {
        hub.failStorageWith(status);
        ReadRequest file = request("models", "org/name/main/sub/model.bin");
        ReadRequest own = file.withHeaders(HeaderList.EMPTY.with("authorization", "Bearer client"));
        ReadRequest range = file.withSelection(new RangeSelection(new RangeSpec.Bounded(1000, 1999)));
        FailureKind kind = status == 503
                ? FailureKind.THROTTLED
                : status == 500 ? FailureKind.UNAVAILABLE : FailureKind.INVALID_RESPONSE;

        for (ReadRequest request : List.of(file, own, range)) {
            assertKind(() -> open(backend, request), kind);
        }
        hub.failStorageWith(0);
        assertThat(read(backend, file)).isEqualTo(LARGE);
    }

    @Test
    void fileThatTheHubMissesUnderAnotherNameIsMissing() {
        hub.refuseAtStorage(404, "EntryNotFound");

        assertKind(() -> open(backend, request("models", "org/name/main/sub/model.bin")), FailureKind.NO_SUCH_KEY);
    }

    @Test
    void longRevisionTakesLittleOfTheStack() {
        String revision = "a%2F".repeat(20_000) + "main";

        assertThat(RepositoryPath.parse(RepositoryKind.MODELS, "org/name/" + revision + "/config.json"))
                .isPresent();
    }

    @Test
    void descriptionsOfRevisionsShareABoundInMemory() {
        hub.padDescriptions(1 << 20);
        HubClient client = new HubClient("hub", HubFixture.settings(hub, Optional.empty(), SOON, List.of(), List.of()));
        DocumentMemoryBudget memory = new DocumentMemoryBudget(1 << 20);
        RevisionResolver resolver = new RevisionResolver(client, SOON, memory);
        RepositoryPath path = RepositoryPath.parse(RepositoryKind.MODELS, "org/name/main/config.json")
                .orElseThrow();
        Credentials own = new Credentials(Optional.of("Bearer client"), false);

        assertKind(() -> resolver.resolve(path, own).block(SOON), FailureKind.BUSY);
        assertThat(memory.used()).isZero();
        hub.padDescriptions(1 << 10);
        assertThat(Objects.requireNonNull(resolver.resolve(path, own).block(SOON))
                        .commit())
                .isEqualTo(COMMIT);
        assertThat(memory.used()).isZero();
        client.close().block(SOON);
    }

    /** Others do not know the commit that one caller's token has found: perhaps they may not see the repository. */
    @ParameterizedTest
    @ValueSource(strings = {"main", "refs%2Fpr%2F1", "0000000000000000000000000000000000000001"})
    void revisionIsResolvedOnceForEachTokenOfAClient(String revision) {
        ReadRequest file = request("models", "org/name/" + revision + "/config.json");

        for (String token : List.of("one", "other", "one", "other")) {
            read(backend, file.withHeaders(HeaderList.EMPTY.with("authorization", "Bearer " + token)));
        }
        read(backend, file);

        assertThat(hub.atHub().stream()
                        .filter(sent -> sent.target().contains("/revision/"))
                        .map(sent -> sent.header("authorization"))
                        .map(Optional::orElseThrow))
                .containsExactly("Bearer one", "Bearer other", "Bearer operator");
    }

    @Test
    void commitThatTheOperatorsTokenFoundIsUnknownToAClients() {
        ReadRequest file = request("models", "org/name/" + COMMIT + "/config.json");
        read(backend, file);
        hub.repository("models/org/name").gatedFor("operator");
        hub.forgetRequests();

        assertKind(
                () -> open(backend, file.withHeaders(HeaderList.EMPTY.with("authorization", "Bearer other"))),
                FailureKind.INVALID_REQUEST);
        assertThat(hub.atHub())
                .as("refused as one who asks for the first time")
                .singleElement()
                .matches(sent -> sent.target().contains("/revision/"));
    }

    @Test
    void redirectElsewhereIsRefused() {
        Backend strict = HubFixture.backend(
                hub, Optional.empty(), Duration.ofMinutes(5), List.of("https://cdn.example.org/"), List.of());
        Backend publicOnly =
                HubFixture.backend(hub, Optional.empty(), Duration.ofMinutes(5), List.of(hub.storageUrl()), List.of());
        ReadRequest file = request("models", "org/name/main/sub/model.bin");

        assertKind(() -> open(strict, file), FailureKind.ACCESS_DENIED);
        assertKind(() -> open(publicOnly, file), FailureKind.ACCESS_DENIED);
        assertThat(hub.atStorage()).isEmpty();
        strict.close().block();
        publicOnly.close().block();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org/name/main/missing",
                "org/name/other/config.json",
                "org/unknown/main/config.json",
                "org/name/main/",
                "org/name/main",
                "org/name/main/sub/../config.json",
                "org/name/main//config.json",
                "../name/main/config.json",
                "org/name/%2e%2e/config.json",
                "org/name/ma%0Ain/config.json",
                "org/name/%ff/config.json",
                "org/na me/main/config.json"
            })
    void whatIsNoFileIsMissing(String key) {
        assertKind(() -> open(backend, request("models", key)), FailureKind.NO_SUCH_KEY);
        assertKind(() -> backend.head(request("models", key)).block(SOON), FailureKind.NO_SUCH_KEY);
    }

    /** To those without a token the Hub says 401, which is about the name and no token. */
    @Test
    void unknownRepositoryIsNoRejectedCredential() {
        Backend anonymous = HubFixture.backend(hub, Optional.empty(), Duration.ofMinutes(5));

        BackendException failure = failure(() -> open(anonymous, request("models", "org/nam/main/config.json")));

        assertThat(failure.kind()).isEqualTo(FailureKind.NO_SUCH_KEY);
        assertThat(failure).hasMessageContaining("401").hasMessageContaining("no such repository");
        assertThat(failure.headers().first("x-error-code")).contains("RepoNotFound");
        assertThat(anonymous.headBucket(HubFixture.MODELS).block(SOON)).isNotNull();
        anonymous.close().block();
    }

    /** As a mirror may say it, with nothing that tells the token from the repository. */
    @ParameterizedTest
    @CsvSource({
        "200, NO_SUCH_KEY, no such repository",
        "401, CREDENTIALS_REJECTED, correct the backend's token",
        "404, CREDENTIALS_REJECTED, unless there is no such repository"
    })
    void refusalWithoutAWordIsExplainedByAList(int list, FailureKind kind, String words) {
        try (RecordingServer mirror = new RecordingServer(request ->
                request.path().equals("/api/models") ? PlannedResponse.json(list, "[]") : PlannedResponse.of(401))) {
            Backend mirrored = HubFixture.backend(mirror.uri(), Optional.of("hf_good"));

            for (int i = 0; i < 3; i++) {
                BackendException failure = failure(() -> open(mirrored, request("models", "org/nam/main/config.json")));
                assertThat(failure.kind()).isEqualTo(kind);
                assertThat(failure).hasMessageContaining(words);
            }

            assertThat(mirror.requests())
                    .filteredOn(sent -> sent.path().equals("/api/models"))
                    .singleElement()
                    .satisfies(sent -> assertThat(sent.header("Authorization")).contains("Bearer hf_good"));
            mirrored.close().block();
        }
    }

    @Test
    void tokenThatTheHubDoesNotKnowIsARejectedCredential() {
        hub.rejectTokens();

        assertKind(
                () -> open(backend, request("models", "org/name/main/config.json")), FailureKind.CREDENTIALS_REJECTED);
        assertKind(() -> backend.headBucket(HubFixture.MODELS).block(SOON), FailureKind.CREDENTIALS_REJECTED);
    }

    @Test
    void hubThatWantsATokenRejectsABackendWithoutOne() {
        Backend anonymous = HubFixture.backend(hub, Optional.empty(), Duration.ofMinutes(5));
        hub.failWith(401);

        assertKind(() -> anonymous.headBucket(HubFixture.MODELS).block(SOON), FailureKind.CREDENTIALS_REJECTED);
        anonymous.close().block();
    }

    @Test
    void otherBucketsAreMissing() {
        assertKind(() -> open(backend, request("other", "org/name/main/config.json")), FailureKind.NO_SUCH_BUCKET);
        assertKind(() -> open(backend, request("datasets", "org/name/main/config.json")), FailureKind.NO_SUCH_KEY);
    }

    @Test
    void repositoryWithoutAnOrganisationHasAnUnderscore() {
        hub.repository("datasets/old").small(COMMIT, "a/b.txt", SMALL).branch("main", COMMIT);

        assertThat(read(backend, request("datasets", "_/old/main/a/b.txt"))).isEqualTo(SMALL);
    }

    @Test
    void overloadedHubIsUnavailable() {
        hub.failWith(503);
        assertKind(() -> open(backend, request("models", "org/name/main/config.json")), FailureKind.THROTTLED);
        hub.failWith(500);
        assertKind(() -> open(backend, request("models", "org/name/main/config.json")), FailureKind.UNAVAILABLE);
        hub.failWith(0);
        assertThat(read(backend, request("models", "org/name/main/config.json")))
                .isEqualTo(SMALL);
    }

    private long resolutions() {
        return hub.atHub().stream()
                .filter(sent -> sent.target().contains("/revision/"))
                .count();
    }
}
