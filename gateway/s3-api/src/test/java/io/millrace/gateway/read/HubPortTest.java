package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.server.ScriptedHub;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.s3.observe.RequestsInFlight;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.kit.share.Party;
import io.millrace.kit.share.Party.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients of the Hub are answered at the Hub port as the Hub does, from the cache; what their own tokens read is never
 * shared.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class HubPortTest {
    private static final String COMMIT = ScriptedHub.commit(1);
    private static final String NEXT = ScriptedHub.commit(2);
    private static final byte[] SMALL = "0123456789".getBytes(StandardCharsets.UTF_8);
    private static final byte[] LARGE = GeneratedBytes.of("large").first(3 << 20);
    private static final String MODEL = "/org/name/resolve/main/sub/model.bin";

    @TempDir
    Path folder;

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-08-04T12:00:00Z"));
    private final RequestsInFlight requests = new RequestsInFlight();
    /** To whom the fetches ahead were charged. */
    private final List<Party> fetchers = new CopyOnWriteArrayList<>();

    private ScriptedHub hub;
    private HubPortFixture port;

    @BeforeEach
    void start() throws IOException {
        hub = new ScriptedHub();
        hub.repository("models/org/name")
                .small(COMMIT, "config.json", SMALL)
                .large(COMMIT, "sub/model.bin", LARGE)
                .large(COMMIT, "sub/other.bin", new byte[10])
                .branch("main", COMMIT)
                .branch("refs/pr/1", COMMIT);
        port = new HubPortFixture(hub, folder, now::get, this::noted, requests);
    }

    @AfterEach
    void stop() {
        port.close();
        hub.close();
    }

    @Test
    void headTellsWhatClientsNeed() throws IOException {
        RawClient.Response head = ask("HEAD", MODEL);

        assertThat(head.status()).isEqualTo(200);
        assertThat(head.headers())
                .containsEntry("x-repo-commit", COMMIT)
                .containsEntry("x-linked-size", "" + LARGE.length)
                .containsEntry("content-length", "" + LARGE.length)
                .doesNotContainKeys("location", "link", "x-xet-hash");
        assertThat(head.headers().get("x-linked-etag"))
                .hasSize(66)
                .isEqualTo(head.headers().get("etag"));
        assertThat(head.headers().keySet()).noneMatch(name -> name.contains("xet"));
    }

    @Test
    void smallFileHasNoLink() throws IOException {
        RawClient.Response head = ask("HEAD", "/org/name/resolve/main/config.json");
        RawClient.Response file = ask("GET", "/org/name/resolve/" + COMMIT + "/config.json");

        assertThat(head.headers())
                .containsEntry("x-repo-commit", COMMIT)
                .containsEntry("content-length", "10")
                .doesNotContainKeys("x-linked-size", "x-linked-etag");
        assertThat(head.headers().get("etag")).hasSize(42);
        assertThat(file.bytes()).isEqualTo(SMALL);
        assertThat(file.headers()).containsEntry("x-repo-commit", COMMIT);
    }

    @Test
    void fileIsPulledOnceForAllReaders() throws Exception {
        // Of readers that start with nothing, one may look just before another's answer is kept, and ask again.
        ask("HEAD", "/api/models/org/name/revision/main");
        ExecutorService clients = Executors.newFixedThreadPool(20);
        Callable<RawClient.Response> read = () -> ask("GET", MODEL);
        for (Future<RawClient.Response> answer :
                clients.invokeAll(Stream.generate(() -> read).limit(20).toList())) {
            assertThat(answer.get(60, TimeUnit.SECONDS).bytes()).isEqualTo(LARGE);
        }
        clients.shutdown();

        Polling.until("no request is counted as running", requests::isEmpty);
        assertThat(hub.atStorage()).hasSize(1);
        assertThat(count("/resolve/")).isEqualTo(1);
        assertThat(count("/revision/main")).isEqualTo(1);
    }

    @Test
    void rangeIsAnsweredWithTheSizeOfTheFile() throws IOException {
        RawClient.Response range = ask("GET", MODEL, "Range: bytes=2000000-2000999");

        assertThat(range.status()).isEqualTo(206);
        assertThat(range.bytes()).isEqualTo(Arrays.copyOfRange(LARGE, 2_000_000, 2_001_000));
        assertThat(range.headers())
                .containsEntry("content-range", "bytes 2000000-2000999/" + LARGE.length)
                .containsEntry("x-linked-size", "" + LARGE.length);
        RawClient.Response beyond = ask("GET", MODEL, "Range: bytes=99999999-");
        assertThat(beyond.status()).isEqualTo(416);
        assertThat(beyond.headers()).containsEntry("content-range", "bytes */" + LARGE.length);
    }

    @Test
    void branchMovesAfterItsTimeAndSharesWhatIsUnchangedByCommit() throws IOException {
        assertThat(ask("GET", MODEL).headers()).containsEntry("x-repo-commit", COMMIT);
        hub.repository("models/org/name")
                .large(NEXT, "sub/model.bin", new byte[5])
                .branch("main", NEXT);

        assertThat(ask("GET", MODEL).headers()).as("within its time").containsEntry("x-repo-commit", COMMIT);
        now.updateAndGet(time -> time.plus(Duration.ofMinutes(2)));
        assertThat(ask("GET", MODEL).bytes()).isEqualTo(new byte[5]);
        hub.forgetRequests();
        assertThat(ask("GET", "/org/name/resolve/" + COMMIT + "/sub/model.bin").bytes())
                .isEqualTo(LARGE);
        assertThat(hub.atHub()).isEmpty();
    }

    @Test
    void whatIsCachedIsServedWhileTheHubFails() throws IOException {
        ask("GET", MODEL);
        hub.failWith(500);
        now.updateAndGet(time -> time.plus(Duration.ofMinutes(30)));

        RawClient.Response stale = ask("GET", MODEL);

        assertThat(stale.status()).isEqualTo(200);
        assertThat(stale.bytes()).isEqualTo(LARGE);
        assertThat(ask("GET", "/org/name/resolve/main/sub/other.bin").status()).isEqualTo(503);
        now.updateAndGet(time -> time.plus(Duration.ofHours(2)));
        assertThat(ask("GET", MODEL).status()).isEqualTo(503);
        assertThat(ask("GET", "/org/name/resolve/" + COMMIT + "/sub/model.bin").bytes())
                .as("a commit needs no Hub")
                .isEqualTo(LARGE);
    }

    @Test
    void whatIsCachedIsServedWhileTheHubHangs() throws Exception {
        List<String> files =
                List.of(MODEL, "/org/name/resolve/main/config.json", "/org/name/resolve/main/sub/other.bin");
        for (String file : files) {
            ask("GET", file);
        }
        now.updateAndGet(time -> time.plus(Duration.ofMinutes(30)));
        Runnable release = hub.holdAll();
        ExecutorService client = Executors.newSingleThreadExecutor();

        for (String file : files) {
            Future<RawClient.Response> read = client.submit(() -> ask("GET", file));
            assertThat(read.get(15, TimeUnit.SECONDS).status())
                    .as("before the backend's own time-out of 20 s")
                    .isEqualTo(200);
        }
        release.run();
        client.shutdown();
    }

    @Test
    void documentsComeWithoutXetAndWithoutPages() throws IOException {
        RawClient.Response revision = ask("GET", "/api/models/org/name/revision/main");
        RawClient.Response model = ask("GET", "/api/models/org/name");
        RawClient.Response tree = ask("GET", "/api/models/org/name/tree/" + COMMIT + "?recursive=True&expand=False");
        RawClient.Response branch = ask("GET", "/api/models/org/name/tree/main?expand=false&recursive=true");

        assertThat(revision.text()).contains("\"sha\":\"" + COMMIT + "\"");
        assertThat(model.text()).isEqualTo(revision.text());
        assertThat(tree.headers()).doesNotContainKey("link");
        assertThat(tree.text())
                .contains("config.json", "sub/model.bin", "sub/other.bin", "\"lfs\":{")
                .doesNotContain("xetHash");
        assertThat(branch.text()).isEqualTo(tree.text());
        assertThat(count("/revision/main")).isEqualTo(1);
        assertThat(hub.atHub().stream()
                        .filter(sent -> sent.target().contains("/tree/"))
                        .count())
                .as("two pages, once for all")
                .isEqualTo(2);
    }

    /** The Hub's client library asks for the heads of both, reads one, and links the other to it. */
    @ParameterizedTest
    @ValueSource(strings = {"HEAD a.bin, HEAD b.bin, GET a.bin", "HEAD a.bin, GET a.bin, HEAD b.bin"})
    void fileWithTheContentOfAnotherIsCachedToo(String requests) throws IOException {
        hub.repository("models/org/name").large(COMMIT, "a.bin", SMALL).large(COMMIT, "b.bin", SMALL);

        for (String request : requests.split(", ", -1)) {
            String[] words = request.split(" ", -1);
            assertThat(ask(words[0], "/org/name/resolve/" + COMMIT + "/" + words[1])
                            .status())
                    .isEqualTo(200);
        }

        Polling.until("both are asked for", () -> hub.atStorage().size() > 1);
        hub.failWith(500);
        Polling.until(
                "the other is read without the Hub",
                () -> ask("GET", "/org/name/resolve/" + COMMIT + "/b.bin").status() == 200);
        assertThat(ask("GET", "/org/name/resolve/" + COMMIT + "/b.bin").bytes()).isEqualTo(SMALL);
    }

    @Test
    void fileThatCouldNotBeFetchedIsTriedAgainAfterAPause() throws IOException {
        hub.repository("models/org/name").large(COMMIT, "a.bin", SMALL).large(COMMIT, "b.bin", SMALL);
        assertThat(ask("GET", "/org/name/resolve/" + COMMIT + "/a.bin").status())
                .isEqualTo(200);
        hub.failStorageWith(403);
        hub.forgetRequests();
        assertThat(ask("HEAD", "/org/name/resolve/" + COMMIT + "/b.bin").status())
                .isEqualTo(200);
        Polling.until("the other is asked for", () -> !hub.atStorage().isEmpty());
        assertThat(fetchers).as("whoever asked pays").isNotEmpty().allMatch(party -> party.kind() == Kind.NETWORK);

        hub.failStorageWith(0);
        hub.forgetRequests();
        Polling.until("a request for the first has the other fetched", () -> {
            now.updateAndGet(time -> time.plus(Duration.ofSeconds(30)));
            assertThat(ask("HEAD", "/org/name/resolve/" + COMMIT + "/a.bin").status())
                    .isEqualTo(200);
            return !hub.atStorage().isEmpty();
        });
        hub.failWith(500);
        Polling.until(
                "the other is read without the Hub",
                () -> ask("GET", "/org/name/resolve/" + COMMIT + "/b.bin").status() == 200);
    }

    @Test
    void headsAloneFetchNothing() throws IOException {
        hub.repository("models/org/name").large(COMMIT, "a.bin", SMALL).large(COMMIT, "b.bin", SMALL);

        for (String file : List.of("a.bin", "b.bin", "sub/other.bin", "a.bin")) {
            assertThat(ask("HEAD", "/org/name/resolve/main/" + file).status()).isEqualTo(200);
        }
        assertThat(ask("HEAD", "/org/name/resolve/main/a.bin", "Range: bytes=0-0")
                        .status())
                .as("nobody has a whole file fetched for a packet")
                .isEqualTo(200);
        ask("GET", "/org/name/resolve/main/config.json");

        assertThat(hub.atStorage()).isEmpty();
    }

    @Test
    void operatorsTokenReadsForAllWhoSendNone() throws IOException {
        gated("operator");

        assertThat(ask("GET", "/org/gated/resolve/main/config.json").bytes()).isEqualTo(SMALL);
        assertThat(hub.atHub()).allMatch(sent -> sent.header("authorization").equals(Optional.of("Bearer operator")));
    }

    @Test
    void clientsOwnTokenIsNeverAnsweredFromTheCacheNorStoredInIt() throws IOException {
        gated("client");
        String file = "/org/gated/resolve/main/config.json";

        assertThat(ask("GET", file).status()).isEqualTo(403);
        for (int i = 0; i < 2; i++) {
            hub.forgetRequests();
            RawClient.Response own = ask("GET", file, "Authorization: Bearer client");
            assertThat(own.bytes()).isEqualTo(SMALL);
            assertThat(own.headers())
                    .containsEntry("x-repo-commit", COMMIT)
                    .containsEntry("cache-status", "millrace; fwd=bypass");
            assertThat(hub.atHub())
                    .isNotEmpty()
                    .allMatch(sent -> sent.header("authorization").equals(Optional.of("Bearer client")));
        }
        assertThat(ask("GET", "/api/models/org/gated/revision/main", "Authorization: Bearer client")
                        .status())
                .isEqualTo(200);
        RawClient.Response refused = ask("GET", file);
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.headers()).containsEntry("x-error-code", "GatedRepo");
        assertThat(ask("GET", file, "Authorization: Bearer other").status()).isEqualTo(403);
        assertThat(ask("GET", "/org/gated/resolve/main/none", "Authorization: Bearer client")
                        .headers())
                .containsEntry("x-error-code", "EntryNotFound");
    }

    @Test
    void whatIsCachedForAllIsNotForATokenThatMayNot() throws IOException {
        gated("operator");
        String file = "/org/gated/resolve/main/config.json";
        assertThat(ask("GET", file).status()).isEqualTo(200);

        assertThat(ask("GET", file, "Authorization: Bearer other").status()).isEqualTo(403);
        assertThat(ask("HEAD", "/org/gated/resolve/" + COMMIT + "/config.json", "Authorization: Bearer other")
                        .status())
                .isEqualTo(403);
    }

    @Test
    void absenceIsNamedAsTheHubDoes() throws IOException {
        for (int i = 0; i < 2; i++) {
            RawClient.Response file = ask("HEAD", "/org/name/resolve/main/none");
            assertThat(file.status()).isEqualTo(404);
            assertThat(file.headers())
                    .containsEntry("x-error-code", "EntryNotFound")
                    .containsEntry("x-repo-commit", COMMIT);
        }
        assertThat(count("/resolve/")).as("absence at a commit is remembered").isEqualTo(1);
        assertThat(ask("GET", "/org/name/resolve/none/config.json").headers())
                .containsEntry("x-error-code", "RevisionNotFound");
        assertThat(ask("GET", "/api/models/org/none/revision/main").headers())
                .containsEntry("x-error-code", "RepoNotFound");
        assertThat(ask("GET", "/api/models/org/name/tree/main/none").headers())
                .containsEntry("x-error-code", "EntryNotFound");
    }

    @Test
    void otherFormsOfNamesAreFound() throws IOException {
        hub.repository("datasets/old").small(COMMIT, "a b/c+d.txt", SMALL).branch("main", COMMIT);

        assertThat(ask("GET", "/datasets/old/resolve/main/a%20b/c%2Bd.txt").bytes())
                .isEqualTo(SMALL);
        assertThat(ask("GET", "/api/datasets/old/tree/main/a%20b").text()).contains("a b/c+d.txt");
        assertThat(ask("GET", "/org/name/resolve/refs%2Fpr%2F1/config.json").bytes())
                .isEqualTo(SMALL);
        assertThat(ask("GET", "/api/models/org/name/revision/refs%2Fpr%2F1").text())
                .contains(COMMIT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/api",
                "/api/whoami-v2",
                "/api/models",
                "/api/models/org/name/discussions",
                "/api/models/org/na%3Fme/revision/main",
                "/api/models/org/%2541/revision/main",
                "/org/name/resolve/main",
                "/org/name/resolve/main/",
                "/org/name/resolve/main/../../x",
                "/org/name/resolve/%2e%2e/config.json",
                "/api/models/..%2F..%2Fx/revision/main",
                "/api/models/org/name/tree/main/..%2F..%2Fx",
                "//org/name/resolve/main/config.json"
            })
    void otherRequestsAreNotSentOn(String target) throws IOException {
        ask("GET", "/api/models/org/name/revision/main");
        hub.forgetRequests();

        assertThat(ask("GET", target).status()).isEqualTo(404);
        assertThat(hub.atHub()).noneMatch(sent -> sent.target().contains(".."));
    }

    @Test
    void writesAndBadRequestsAreRefused() throws IOException {
        assertThat(post("/api/models/org/name/preupload/main", "application/json", "{}")
                        .status())
                .isEqualTo(405);
        assertThat(ask("GET", "/api/models/org/name/paths-info/main").status()).isEqualTo(405);
        assertThat(ask("GET", "/org/name/resolve/main/%zz").status()).isEqualTo(400);
        assertThat(ask("GET", "/org/name/resolve/main/" + "x".repeat(1100)).status())
                .isEqualTo(400);
        assertThat(hub.atHub()).noneMatch(sent -> sent.method().equals("POST"));
    }

    @Test
    void formAndJsonOfPathsHaveOneCachedResponse() throws IOException {
        String target = "/api/models/org/name/paths-info/main";
        String form = "paths=sub%2Fmodel.bin&paths=none&paths=config.json&expand=False";
        String json = "{\"paths\":[\"none\",\"config.json\",\"sub/model.bin\"]}";

        String answer = post(target, "application/x-www-form-urlencoded", form).text();

        assertThat(answer).startsWith("[{").endsWith("}]").doesNotContain("xetHash");
        assertThat(answer).contains("\"path\":\"sub/model.bin\"", "\"path\":\"config.json\"", "\"lfs\"");
        assertThat(post(target, "application/json", json).text()).isEqualTo(answer);
        assertThat(count("/paths-info/")).isEqualTo(1);
        assertThat(post("/api/models/org/none/paths-info/main", "application/json", json)
                        .headers())
                .containsEntry("x-error-code", "RepoNotFound");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "{\"paths\":[]}", "[", "paths=x"})
    void bodyWithoutPathsIsRefused(String json) throws IOException {
        assertThat(post("/api/models/org/name/paths-info/main", "application/json", json)
                        .status())
                .isEqualTo(400);
    }

    @Test
    void tooManyPathsAreRefused() throws IOException {
        String paths = "paths=" + "x".repeat(900);
        String target = "/api/models/org/name/paths-info/main";
        String form = "application/x-www-form-urlencoded";

        assertThat(post(target, form, paths).status()).isEqualTo(200);
        assertThat(post(target, form, paths + "&" + paths + "y").status()).isEqualTo(400);
        assertThat(post(target, form, (paths + "&").repeat(10)).status()).isEqualTo(400);
    }

    /** The JavaScript library asks so whether a file exists. */
    @Test
    void rawFileIsWhatGitHas() throws IOException {
        assertThat(ask("HEAD", "/org/name/raw/main/config.json").status()).isEqualTo(200);
        assertThat(ask("GET", "/org/name/raw/main/config.json").bytes()).isEqualTo(SMALL);
        assertThat(ask("HEAD", "/org/name/raw/main/sub/model.bin").status()).isEqualTo(200);
        RawClient.Response pointer = ask("GET", "/org/name/raw/main/sub/model.bin");
        assertThat(pointer.text())
                .startsWith("version https://git-lfs.github.com/spec/v1\noid sha256:")
                .endsWith("\nsize %d\n".formatted(LARGE.length));
        assertThat(pointer.headers()).containsEntry("x-repo-commit", COMMIT);
        assertThat(hub.atStorage()).as("the bytes of the large file").isEmpty();
        assertThat(ask("HEAD", "/org/name/raw/main/none").status()).isEqualTo(404);
        assertThat(ask("HEAD", "/org/name/raw/main/none").headers()).containsEntry("x-error-code", "EntryNotFound");
    }

    @Test
    void conditionIsEvaluated() throws IOException {
        String tag = String.valueOf(ask("HEAD", MODEL).headers().get("etag"));

        assertThat(ask("GET", MODEL, "If-None-Match: " + tag).status()).isEqualTo(304);
        assertThat(hub.atStorage()).isEmpty();
    }

    private ObjectSource noted(BucketView bucket, ObjectId id, TierRequest tier) {
        fetchers.add(tier.party());
        return ObjectSourceFactory.BACKENDS.create(bucket, id, tier);
    }

    private void gated(String token) {
        hub.repository("models/org/gated")
                .small(COMMIT, "config.json", SMALL)
                .branch("main", COMMIT)
                .gatedFor(token);
    }

    private long count(String text) {
        return hub.atHub().stream().filter(sent -> sent.target().contains(text)).count();
    }

    private RawClient.Response ask(String method, String target, String... fields) throws IOException {
        return port.ask(method, target, fields);
    }

    private RawClient.Response post(String target, String type, String body) throws IOException {
        return port.post(target, type, body);
    }
}
