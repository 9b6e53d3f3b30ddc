package io.millrace.backend.hub;

import static io.millrace.backend.hub.HubFixture.SOON;
import static io.millrace.backend.hub.HubFixture.assertKind;
import static io.millrace.backend.hub.HubFixture.open;
import static io.millrace.backend.hub.HubFixture.read;
import static io.millrace.backend.hub.HubFixture.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.WebRequestExceptionMapper;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection.RangeSelection;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.server.ScriptedHub;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The Hub's own documents are objects: whole, in one piece, and without Xet. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(180)
class HubDocumentTest {
    private static final String COMMIT = ScriptedHub.commit(1);
    private static final String TREE = "models/org/name/tree/" + COMMIT + "?recursive=true";

    private ScriptedHub hub;
    private Backend backend;

    @BeforeEach
    void start() throws IOException {
        hub = new ScriptedHub();
        for (int i = 0; i < 5; i++) {
            hub.repository("models/org/name").large(COMMIT, "model-" + i, new byte[1000 + i]);
        }
        hub.repository("models/org/name").branch("main", COMMIT);
        backend = HubFixture.backend(hub, Optional.empty(), Duration.ofMinutes(5));
    }

    @AfterEach
    void stop() {
        backend.close().block();
        hub.close();
    }

    @Test
    void pagesAreJoinedWithoutXet() {
        String document = new String(read(backend, request("api", TREE)), StandardCharsets.UTF_8);

        assertThat(document).startsWith("[{").endsWith("}]").doesNotContain("xetHash", "][", "]{");
        for (int i = 0; i < 5; i++) {
            assertThat(document).contains("\"path\":\"model-" + i + "\"").contains("\"size\":100" + i);
        }
        assertThat(hub.atHub()).hasSize(3);
    }

    @Test
    void listThatTakesLongIsReadOnceHoweverOftenItIsAskedFor() {
        HubClient client = new HubClient("hub", HubFixture.settings(hub, Optional.empty(), SOON, List.of(), List.of()));
        DocumentMemoryBudget memory = new DocumentMemoryBudget(8 << 20);
        HubDocumentReader reader = reader(client, memory, Duration.ofMillis(50));
        Runnable release = hub.holdLists();

        for (int i = 0; i < 3; i++) {
            BackendException failure = Assertions.assertThrows(
                    BackendException.class,
                    () -> reader.open(request("api", TREE)).block(SOON));
            assertThat(failure.kind()).as("no trouble of the Hub").isEqualTo(FailureKind.BUSY);
            assertThat(failure.retryAfter()).isPresent();
        }
        release.run();
        Polling.until("the list has been read", () -> isRead(reader));
        ObjectContent content =
                Objects.requireNonNull(reader.open(request("api", TREE)).block(SOON));

        assertThat(content.head().size()).isPositive();
        assertThat(hub.atHub()).as("its pages").hasSize(3);
        content.discard();
        assertThat(memory.used()).isZero();
        client.close().block(SOON);
    }

    @Test
    void documentCountsOnceWhileAnyReaderHasIt() {
        HubClient client = new HubClient("hub", HubFixture.settings(hub, Optional.empty(), SOON, List.of(), List.of()));
        DocumentMemoryBudget memory = new DocumentMemoryBudget(8 << 20);
        HubDocumentReader reader = reader(client, memory, SOON);
        Runnable release = hub.holdLists();

        Mono<List<ObjectContent>> readers =
                Flux.range(0, 3).flatMap(i -> reader.open(request("api", TREE))).collectList();
        CompletableFuture<List<ObjectContent>> opened = readers.toFuture();
        release.run();
        List<ObjectContent> contents = opened.join();

        assertThat(hub.atHub()).as("its pages, once").hasSize(3);
        assertThat(memory.used()).isEqualTo(contents.get(0).head().size());
        contents.get(0).discard();
        contents.get(1).discard();
        assertThat(memory.used()).isEqualTo(contents.get(0).head().size());
        contents.get(2).discard();
        assertThat(memory.used()).isZero();
        client.close().block(SOON);
    }

    @Test
    void documentOfOneTokenIsNotThatOfAnotherThatAsksMeanwhile() {
        HubClient client = new HubClient("hub", HubFixture.settings(hub, Optional.empty(), SOON, List.of(), List.of()));
        DocumentMemoryBudget memory = new DocumentMemoryBudget(8 << 20);
        HubDocumentReader reader = reader(client, memory, SOON);
        hub.repository("models/org/name").gatedFor("client");
        Runnable release = hub.holdLists();
        ReadRequest own = request("api", TREE).withHeaders(HeaderList.EMPTY.with("authorization", "Bearer client"));

        CompletableFuture<ObjectContent> opened = reader.open(own).toFuture();
        Polling.until("the first is at the Hub", () -> !hub.atHub().isEmpty());
        assertKind(() -> reader.open(request("api", TREE)).block(SOON), FailureKind.ACCESS_DENIED);
        release.run();

        opened.join().discard();
        client.close().block(SOON);
    }

    private static boolean isRead(HubDocumentReader reader) {
        try {
            Objects.requireNonNull(reader.open(request("api", TREE)).block(SOON))
                    .discard();
            return true;
        } catch (BackendException notYet) {
            assertThat(notYet.kind()).isEqualTo(FailureKind.BUSY);
            return false;
        }
    }

    @Test
    void revisionIsOneObject() {
        ObjectContent whole = open(backend, request("api", "models/org/name/revision/main"));
        whole.discard();
        String text =
                new String(read(backend, request("api", "models/org/name/revision/main")), StandardCharsets.UTF_8);

        assertThat(text).startsWith("{").endsWith("}").contains("\"sha\":\"" + COMMIT + "\"");
        assertThat(whole.head().size()).isEqualTo(text.length());
        assertThat(whole.head().headers().first("x-amz-meta-repo-commit")).contains(COMMIT);
        assertThat(whole.head().version().hasStrongValidator()).isTrue();
    }

    @Test
    void rangeIsCut() {
        byte[] document = read(backend, request("api", TREE));

        assertThat(read(backend, request("api", TREE).withSelection(new RangeSelection(new RangeSpec.Bounded(0, 1)))))
                .isEqualTo("[{".getBytes(StandardCharsets.UTF_8));
        assertKind(
                () -> open(
                        backend,
                        request("api", TREE)
                                .withSelection(new RangeSelection(new RangeSpec.OpenEnded(document.length)))),
                FailureKind.INVALID_RANGE);
    }

    @Test
    void missingRepositoryIsNamedAsTheHubDoes() {
        BackendException failure = Assertions.assertThrows(
                BackendException.class, () -> open(backend, request("api", "models/org/none/revision/main")));

        assertThat(failure.kind()).isEqualTo(FailureKind.NO_SUCH_KEY);
        assertThat(failure.headers().first("x-error-code")).contains("RepoNotFound");
    }

    @Test
    void pathsAreSentAsAForm() {
        String key = "models/org/name/paths-info/" + COMMIT + "?paths=none&paths=model-1";

        String answer = new String(read(backend, request("api", key)), StandardCharsets.UTF_8);

        assertThat(answer).contains("\"path\":\"model-1\"").doesNotContain("none", "xetHash");
        assertThat(hub.atHub())
                .singleElement()
                .matches(sent -> sent.method().equals("POST")
                        && sent.target().equals("/api/models/org/name/paths-info/" + COMMIT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "whoami-v2",
                "models/../whoami-v2",
                "models/org/name/../../x",
                "models/org/name/tree/main/%2e%2e/x",
                "models/org/name/tree/main/a%2F%2E%2E%2Fx",
                "models/org//name",
                "models/org/name/revision/main?a b",
                "models/org/name/revision/main#x"
            })
    void otherPathsAreNotAskedFor(String key) {
        assertKind(() -> open(backend, request("api", key)), FailureKind.NO_SUCH_KEY);
        assertThat(hub.atHub()).isEmpty();
    }

    private static HubDocumentReader reader(HubClient client, DocumentMemoryBudget memory, Duration patience) {
        return new HubDocumentReader(
                client,
                Credentials.ofOperator(Optional.empty()),
                new WebRequestExceptionMapper("hub", client.root()),
                memory,
                patience);
    }
}
