package io.millrace.backend.hub;

import static io.millrace.backend.hub.HubFixture.MODELS;
import static io.millrace.backend.hub.HubFixture.SOON;
import static io.millrace.backend.hub.HubFixture.assertKind;
import static io.millrace.backend.hub.HubFixture.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.WebRequestExceptionMapper;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.backend.testkit.server.ScriptedHub;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A repository's files are listed at a revision, in the order of keys, with the tags and times that reads tell. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(180)
class HubListingTest {
    private static final String COMMIT = ScriptedHub.commit(1);

    private ScriptedHub hub;
    private Backend backend;

    @BeforeEach
    void start() throws IOException {
        hub = new ScriptedHub();
        hub.repository("models/org/name")
                .small(COMMIT, "b.json", new byte[3])
                .small(COMMIT, "a/1", new byte[1])
                .small(COMMIT, "a/deep/2", new byte[2])
                .large(COMMIT, "a.bin", new byte[1000])
                .large(COMMIT, "model.bin", new byte[2000])
                .branch("main", COMMIT);
        backend = HubFixture.backend(hub, Optional.empty(), Duration.ofMinutes(5));
    }

    @AfterEach
    void stop() {
        backend.close().block();
        hub.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 1000})
    void allFilesAreListedInOrder(int maxKeys) {
        ListedPages pages = ListedPages.readAll(backend, ListedPages.request(MODELS, "org/name/main/", "", maxKeys));

        assertThat(pages.keys())
                .containsExactly(
                        "org/name/main/a.bin",
                        "org/name/main/a/1",
                        "org/name/main/a/deep/2",
                        "org/name/main/b.json",
                        "org/name/main/model.bin");
        assertThat(hub.atHub())
                .as("the commit, and eight entries in pages of two, once for all pages")
                .hasSize(5);
    }

    @Test
    void foldersAreCommonPrefixes() {
        ListPage root = ListedPages.page(backend, ListedPages.request(MODELS, "org/name/main/", "/", 1000));
        ListPage below = ListedPages.page(backend, ListedPages.request(MODELS, "org/name/main/a/", "/", 1000));
        ListPage half = ListedPages.page(backend, ListedPages.request(MODELS, "org/name/main/a", "/", 1000));

        assertThat(ListedPages.keys(root))
                .containsExactly("org/name/main/a.bin", "org/name/main/b.json", "org/name/main/model.bin");
        assertThat(root.prefixes()).containsExactly("org/name/main/a/");
        assertThat(ListedPages.keys(below)).containsExactly("org/name/main/a/1");
        assertThat(below.prefixes()).containsExactly("org/name/main/a/deep/");
        assertThat(ListedPages.keys(half)).containsExactly("org/name/main/a.bin");
        assertThat(half.prefixes()).containsExactly("org/name/main/a/");
        assertThat(hub.atHub()).noneMatch(sent -> sent.target().contains("recursive=true"));
    }

    @Test
    void pagesOfFoldersGoOnBehindThem() {
        ListedPages pages = ListedPages.readAll(backend, ListedPages.request(MODELS, "org/name/main/", "/", 1));

        assertThat(pages.keys())
                .containsExactly("org/name/main/a.bin", "org/name/main/b.json", "org/name/main/model.bin");
        assertThat(pages.prefixes()).containsExactly("org/name/main/a/");
    }

    @Test
    void listTellsWhatAHeadTells() {
        ListPage page = ListedPages.page(backend, ListedPages.request(MODELS, "org/name/main/", "", 1000));

        for (ListPage.ListedObject listed : page.objects()) {
            ObjectHead head = Objects.requireNonNull(
                            backend.head(request("models", listed.key().value()))
                                    .block(SOON))
                    .head();
            assertThat(listed.eTag()).isEqualTo(head.eTag());
            assertThat(listed.size()).isEqualTo(head.size());
            assertThat(Optional.of(listed.lastModified())).isEqualTo(head.lastModified());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"org/name/main/none/", "org/name/other/", "org/unknown/main/", "org/name/main/a//"})
    void nothingIsListedOfWhatDoesNotExist(String prefix) {
        ListPage page = ListedPages.page(backend, ListedPages.request(MODELS, prefix, "", 1000));

        assertThat(page.objects()).isEmpty();
        assertThat(page.prefixes()).isEmpty();
    }

    /** Clients are told of an empty list, and nobody else would learn of a mistyped prefix. */
    @ParameterizedTest
    @ValueSource(strings = {"org/unknown/main/", "org/name/other/"})
    void probeOfAPrefixFailsForAMissingRepository(String prefix) {
        BackendException failure = HubFixture.failure(() ->
                backend.probeList(ListedPages.request(MODELS, prefix, "/", 1)).block(SOON));

        assertThat(failure.kind()).isEqualTo(FailureKind.NO_SUCH_BUCKET);
        assertThat(failure).hasMessageContaining("nothing is below " + prefix);
        backend.probeList(ListedPages.request(MODELS, "org/name/main/", "/", 1)).block(SOON);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "org", "org/", "org/name/", "org/name/main"})
    void whatIsAboveARevisionIsNotListed(String prefix) {
        assertKind(
                () -> ListedPages.page(backend, ListedPages.request(MODELS, prefix, "", 1000)),
                FailureKind.UNSUPPORTED);
        assertThat(hub.atHub()).isEmpty();
    }

    @Test
    void listsShareABoundInMemoryAndGiveItBack() {
        HubClient client = new HubClient("hub", HubFixture.settings(hub, Optional.empty(), SOON, List.of(), List.of()));
        Credentials none = Credentials.ofOperator(Optional.empty());
        DocumentMemoryBudget memory = new DocumentMemoryBudget(2 << 20);
        HubObjectLister lister = new HubObjectLister(
                client,
                new RevisionResolver(client, SOON, new DocumentMemoryBudget(2 << 20)),
                none,
                new WebRequestExceptionMapper("hub", client.root()),
                memory,
                SOON);
        ListRequest request = ListedPages.request(MODELS, "org/name/main/", "", 1000);
        DocumentMemoryBudget.Reservation others = memory.begin();
        others.add(2 << 20);

        assertKind(() -> lister.listObjects(request).block(SOON), FailureKind.BUSY);
        assertThat(hub.atHub())
                .as("refused before the Hub is asked for the tree")
                .noneMatch(sent -> sent.target().contains("/tree/"));
        others.release();
        assertThat(Objects.requireNonNull(lister.listObjects(request).block(SOON))
                        .objects())
                .hasSize(5);
        assertThat(memory.used()).isZero();
        client.close().block(SOON);
    }

    @Test
    void emptyLastPageEndsAList() {
        hub.endListsWith(ScriptedHub.EmptyPages.ONE);

        assertThat(ListedPages.page(backend, ListedPages.request(MODELS, "org/name/main/", "", 1000))
                        .objects())
                .hasSize(5);
    }

    @Test
    void emptyPagesWithoutEndAreRefused() {
        hub.endListsWith(ScriptedHub.EmptyPages.ENDLESS);

        assertKind(
                () -> ListedPages.page(backend, ListedPages.request(MODELS, "org/name/main/", "", 1000)),
                FailureKind.INVALID_RESPONSE);
    }

    @Test
    void kindsOfRepositoriesAreBuckets() {
        assertThat(Objects.requireNonNull(backend.listBuckets().block(SOON)))
                .extracting(BucketInfo::name)
                .extracting(BucketName::value)
                .containsExactly("datasets", "models", "spaces");
        assertThat(Objects.requireNonNull(backend.headBucket(MODELS).block(SOON))
                        .name())
                .isEqualTo(MODELS);
        assertKind(() -> backend.headBucket(new BucketName("other")).block(SOON), FailureKind.NO_SUCH_BUCKET);
    }
}
