package io.millrace.gateway.read;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import io.millrace.kit.share.Party;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * MinIO's clients read the members of archives in an ordinary bucket by {@code x-minio-extract: true}: whoever may read
 * the archive may, and nobody else.
 */
@ExtendWith(BufferLeakExtension.class)
class ExtractionHeaderTest {
    private static final String HEADER = "x-minio-extract";
    private static final TestArchive FILES =
            TestArchive.of(Map.of("one", 1000, "empty", 0, "deep/er/file.txt", 77, "large", 2_300_000));

    @TempDir
    Path folder;

    private final InMemoryBackend backend = new InMemoryBackend(Set.of(Capability.WRITE));
    private byte[] zip = new byte[0];
    private BlockCache cache;
    private TestGateway gateway;
    private SigningClient client;

    @BeforeEach
    void start() throws IOException {
        zip = FILES.zip(ZipEntry.STORED);
        cache = CacheFixture.in(folder);
        gateway = builder().cache(cache).start();
        client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
        store("data", "a.zip", zip);
        store("data", "train/b.tar", FILES.tar());
    }

    private TestGateway.Builder builder() {
        return TestGateway.builder()
                .bucket("data", backend)
                .bucket("view", backend, "x.zip/", "none")
                .bucket("open", backend, "", "read,list")
                .bucket("readable", backend, "", "read")
                .derived("samples", "data", "*", "")
                .identity("reader", "READER", "reader-secret", "read:data/a.zip")
                .identity("lister", "LISTER", "lister-secret", "list:data", "read:data/a.zip/*")
                .identity("public", "PUBLIC", "public-secret", "read,list:data/public/*");
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    private void store(String bucket, String key, byte[] bytes) {
        backend.store(new ObjectRef(new BucketName(bucket), new ObjectKey(key)), bytes, HeaderList.EMPTY);
    }

    private Response get(SigningClient caller, String target, String... headers) throws IOException {
        return ask(caller, "GET", target, headers);
    }

    private static Response ask(SigningClient caller, String method, String target, String... headers)
            throws IOException {
        Map<String, String> all = new HashMap<>(Map.of(HEADER, "true"));
        for (int i = 0; i < headers.length; i += 2) {
            all.put(headers[i], headers[i + 1]);
        }
        return caller.ask(method, target, all);
    }

    private SigningClient caller(String accessKey) {
        return SigningClient.of(gateway, accessKey, accessKey.toLowerCase(Locale.ROOT) + "-secret");
    }

    private List<String> keys(String target) throws IOException {
        return ParsedListing.of(get(client, target)).keys();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.zip", "train/b.tar"})
    void membersAreReadByteByByte(String archive) throws IOException {
        for (int times = 0; times < 2; times++) {
            assertAllReadable(client, archive);
        }
    }

    @Test
    void membersAreReadWithoutACache() throws IOException {
        try (TestGateway bare = builder().start()) {
            SigningClient caller = SigningClient.of(bare, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
            assertAllReadable(caller, "a.zip");
            assertAllReadable(caller, "train/b.tar");
        }
    }

    /** What a client takes at its own pace counts as that of its identity at the backend. */
    @ParameterizedTest
    @ValueSource(ints = {ZipEntry.STORED, ZipEntry.DEFLATED})
    void readsWithoutACacheAreCountedToTheirClients(int method) throws IOException {
        store("counted", "a.zip", FILES.zip(method));
        CountingBackend counting = new CountingBackend(backend);
        try (TestGateway bare = builder().bucket("counted", counting).start()) {
            SigningClient caller = SigningClient.of(bare, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);

            assertThat(get(caller, "/counted/a.zip/large").bytes())
                    .isEqualTo(FILES.files().get("large"));
        }

        assertThat(counting.parties).allMatch(party -> party.kind() == Party.Kind.IDENTITY);
        assertThat(counting.parties.get(0).isPaced()).as("the scan").isFalse();
        assertThat(counting.parties.get(counting.parties.size() - 1).isPaced())
                .as("the member")
                .isTrue();
    }

    @Test
    void backendThatHangsLeavesOthersTheirDecoders() throws Exception {
        store("hung", "a.zip", FILES.zip(ZipEntry.DEFLATED));
        store("data", "deflated.zip", FILES.zip(ZipEntry.DEFLATED));
        HangingBackend hanging = new HangingBackend(backend);
        ExecutorService clients = Executors.newCachedThreadPool();
        List<Future<Response>> responses = new ArrayList<>();
        try (TestGateway bare = builder().bucket("hung", hanging).start()) {
            SigningClient caller = SigningClient.of(bare, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
            for (int i = 0; i < 20; i++) {
                responses.add(clients.submit(() -> get(caller, "/hung/a.zip/large")));
            }
            Polling.until("as many hang as one identity may have", () -> hanging.held.get() == 12);

            assertThat(get(caller, "/data/deflated.zip/large").bytes())
                    .isEqualTo(FILES.files().get("large"));
            hanging.gate.tryEmitEmpty();
            for (Future<Response> response : responses) {
                assertThat(response.get(60, TimeUnit.SECONDS).bytes())
                        .isEqualTo(FILES.files().get("large"));
            }
        } finally {
            clients.shutdownNow();
        }
    }

    /** A backend that does not bring the headers of members before a gate opens. */
    private static final class HangingBackend extends PassingBackend {
        private static final int LOCAL_HEADER = 30;

        private final AtomicInteger held = new AtomicInteger();
        private final Sinks.Empty<Void> gate = Sinks.empty();

        HangingBackend(Backend inner) {
            super(inner);
        }

        @Override
        public Mono<ObjectContent> open(ReadRequest request) {
            if (!isOfHeader(request)) {
                return inner.open(request);
            }
            return Mono.defer(() -> {
                held.incrementAndGet();
                return gate.asMono().then(inner.open(request));
            });
        }

        private static boolean isOfHeader(ReadRequest request) {
            return request.selection() instanceof ByteSelection.RangeSelection range
                    && range.spec() instanceof RangeSpec.Bounded bounded
                    && bounded.last() - bounded.first() + 1 == LOCAL_HEADER;
        }
    }

    /** A backend that remembers whom reads are counted to. */
    private static final class CountingBackend extends PassingBackend {
        private final List<Party> parties = new CopyOnWriteArrayList<>();

        CountingBackend(Backend inner) {
            super(inner);
        }

        @Override
        public Mono<ObjectContent> open(ReadRequest request) {
            return Mono.deferContextual(context -> {
                parties.add(TierRequest.from(context).party());
                return inner.open(request);
            });
        }
    }

    private void assertAllReadable(SigningClient caller, String archive) throws IOException {
        for (Map.Entry<String, byte[]> file : FILES.files().entrySet()) {
            String target = RawResponse.path("data", archive + "/" + file.getKey());

            Response whole = get(caller, target);
            Response head = ask(caller, "HEAD", target);

            assertThat(whole.status()).as(whole.text()).isEqualTo(200);
            assertThat(whole.bytes()).as(file.getKey()).isEqualTo(file.getValue());
            assertThat(get(caller, target, "cache-control", "no-store").bytes()).isEqualTo(file.getValue());
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.headers())
                    .containsEntry("content-length", "" + file.getValue().length)
                    .containsEntry("etag", whole.headers().get("etag"));
        }
    }

    @Test
    void rangesAndConditionsAreThoseOfTheMember() throws IOException {
        byte[] large = requireNonNull(FILES.files().get("large"));
        String target = "/data/a.zip/large";

        Response range = get(client, target, "range", "bytes=1000000-1100000");
        String tag = requireNonNull(range.headers().get("etag"));

        assertThat(range.status()).isEqualTo(206);
        assertThat(range.bytes()).isEqualTo(Arrays.copyOfRange(large, 1_000_000, 1_100_001));
        assertThat(get(client, target, "if-none-match", tag).status()).isEqualTo(304);
        assertThat(get(client, target, "if-match", "\"other\"").status()).isEqualTo(412);
        assertThat(get(client, target, "range", "bytes=2300000-").status()).isEqualTo(416);
    }

    @Test
    void onlyTheValueTrueExtracts() throws IOException {
        assertThat(client.get("/data/a.zip/one").status()).isEqualTo(404);
        for (String value : List.of("false", "TRUE", "1", "")) {
            assertThat(get(client, "/data/a.zip/one", HEADER, value).status())
                    .as(value)
                    .isEqualTo(404);
        }
        assertThat(client.get("/data/a.zip/one?x-minio-extract=true").status()).isEqualTo(404);
    }

    @Test
    void keysWithoutAnArchiveAreOrdinary() throws IOException {
        byte[] content = "content".getBytes(StandardCharsets.UTF_8);
        store("data", "plain.txt", content);
        store("data", "folder/plain.txt", content);

        assertThat(get(client, "/data/plain.txt").bytes()).isEqualTo(content);
        assertThat(get(client, "/data/folder/plain.txt").bytes()).isEqualTo(content);
        assertThat(get(client, "/data/a.zip").bytes()).isEqualTo(zip);
        assertThat(keys("/data?list-type=2&prefix=a.zip")).containsExactly("a.zip");
        assertThat(keys("/data?list-type=2")).containsExactly("a.zip", "folder/plain.txt", "plain.txt", "train/b.tar");
    }

    @Test
    void membersAreListedAsMinioListsThem() throws IOException {
        List<String> all = List.of("a.zip/deep/er/file.txt", "a.zip/empty", "a.zip/large", "a.zip/one");

        ParsedListing folders = ParsedListing.of(get(client, "/data?list-type=2&prefix=a.zip/&delimiter=/"));

        assertThat(keys("/data?list-type=2&prefix=a.zip/")).isEqualTo(all);
        assertThat(keys("/data?prefix=a.zip/")).isEqualTo(all);
        assertThat(keys("/data?list-type=2&prefix=a.zip/deep")).containsExactly("a.zip/deep/er/file.txt");
        assertThat(folders.keys()).containsExactly("a.zip/empty", "a.zip/large", "a.zip/one");
        assertThat(folders.prefixes()).containsExactly("a.zip/deep/");
        assertThat(keys("/data?list-type=2&prefix=train/b.tar/e")).containsExactly("train/b.tar/empty");
        assertThat(keys("/data?list-type=2&prefix=absent.zip/")).isEmpty();
        assertThat(ParsedListing.of(client.get("/data?list-type=2&prefix=a.zip/"))
                        .keys())
                .isEmpty();
    }

    @Test
    void pagesMakeTheWholeList() throws IOException {
        List<String> found = new ArrayList<>();
        Optional<String> token = Optional.empty();
        do {
            String after = token.map(text -> "&" + RawResponse.parameter("continuation-token", text))
                    .orElse("");
            ParsedListing page = ParsedListing.of(get(client, "/data?list-type=2&max-keys=1&prefix=a.zip/" + after));
            found.addAll(page.keys());
            token = page.field("NextContinuationToken");
        } while (token.isPresent() && found.size() < 10);

        assertThat(found).isEqualTo(keys("/data?list-type=2&prefix=a.zip/")).hasSize(4);
    }

    @Test
    void anObjectWithTheKeyOfAMemberIsAnother() throws IOException {
        byte[] content = "an object".getBytes(StandardCharsets.UTF_8);
        store("data", "a.zip/one", content);
        store("data", "a.zip/other", content);

        assertThat(client.get("/data/a.zip/one").bytes()).isEqualTo(content);
        assertThat(get(client, "/data/a.zip/one").bytes())
                .isEqualTo(FILES.files().get("one"));
        assertThat(get(client, "/data/a.zip/other").status()).isEqualTo(404);
    }

    @Test
    void writesIgnoreTheHeader() throws IOException {
        assertThat(ask(client, "PUT", "/data/a.zip/new", "content-length", "0").status())
                .isEqualTo(200);
        assertThat(client.get("/data/a.zip/new").status()).isEqualTo(200);
        assertThat(get(client, "/data/a.zip/new").status()).isEqualTo(404);
        assertThat(ask(client, "DELETE", "/data/a.zip/new").status()).isEqualTo(204);
        assertThat(get(client, "/data/a.zip/one").status()).isEqualTo(200);
    }

    @Test
    void overwrittenArchiveIsSeenAtOnce() throws IOException {
        assertThat(get(client, "/data/a.zip/one").status()).isEqualTo(200);
        TestArchive other = TestArchive.of(Map.of("one", 2000));
        byte[] content = other.zip(ZipEntry.STORED);

        try (RawClient connection = gateway.connect()) {
            String head = client.request("PUT", "/data/a.zip", Map.of("content-length", "" + content.length));
            assertThat(connection
                            .send(head + new String(content, StandardCharsets.ISO_8859_1))
                            .status())
                    .isEqualTo(200);
        }

        assertThat(get(client, "/data/a.zip/one").bytes())
                .isEqualTo(other.files().get("one"));
        assertThat(get(client, "/data/a.zip/large").status()).isEqualTo(404);
    }

    @Test
    void rightToTheArchiveIsEnoughToRead() throws IOException {
        SigningClient reader = caller("READER");

        assertThat(get(reader, "/data/a.zip/one").bytes())
                .isEqualTo(FILES.files().get("one"));
        assertThat(ask(reader, "HEAD", "/data/a.zip/one").status()).isEqualTo(200);
        assertThat(get(reader, "/data/train/b.tar/one").status()).isEqualTo(403);
        assertThat(reader.get("/data/a.zip/one").status()).isEqualTo(403);
        // Without the right to list, absent members are hidden as absent keys are.
        assertThat(get(reader, "/data/a.zip/absent").status()).isEqualTo(403);
        assertThat(get(reader, "/data?list-type=2&prefix=a.zip/").status()).isEqualTo(403);
    }

    @Test
    void rightToKeysOfMembersOpensNoArchive() throws IOException {
        SigningClient lister = caller("LISTER");

        assertThat(get(lister, "/data/a.zip/one").status()).isEqualTo(403);
        assertThat(ask(lister, "HEAD", "/data/a.zip/one").status()).isEqualTo(403);
        assertThat(get(lister, "/data?list-type=2&prefix=a.zip/").status()).isEqualTo(403);
        assertThat(get(lister, "/data?prefix=a.zip/").status()).isEqualTo(403);
        assertThat(lister.get("/data?list-type=2&prefix=a.zip/").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "public/../secret.zip/one",
                "public/a/../../secret.zip/one",
                "./secret.zip/one",
                "secret.zip/../public/x",
                "public/b.zip/../../secret.zip/one",
                "secret.zip/public/one"
            })
    void keysLeadToNoOtherArchive(String key) throws IOException {
        store("data", "secret.zip", zip);
        store("data", "public/b.zip", zip);
        SigningClient limited = caller("PUBLIC");

        assertThat(get(limited, "/data/public/b.zip/one").bytes())
                .isEqualTo(FILES.files().get("one"));
        assertThat(get(limited, "/data?list-type=2&prefix=public/b.zip/").status())
                .isEqualTo(200);
        assertThat(get(limited, "/data/" + key).status()).isEqualTo(403);
        assertThat(get(limited, "/data?list-type=2&prefix=" + key).status()).isEqualTo(403);
    }

    @Test
    void headerThatIsNotSignedIsRefused() throws IOException {
        URI url = gateway.signer()
                .presign(URI.create("http://gateway.test/data/a.zip/one"), "GET", Duration.ofMinutes(5), Instant.now());
        String presigned = url.getRawPath() + "?" + url.getRawQuery();
        String signed = client.request("GET", "/data/a.zip/one", Map.of());

        Response added = get(SigningClient.anonymous(gateway), presigned);
        Response inserted =
                RawClient.ask(gateway.port(), signed.replace("\r\n\r\n", "\r\n" + HEADER + ": true\r\n\r\n"));

        assertThat(SigningClient.anonymous(gateway).get(presigned).status()).isEqualTo(404);
        for (Response refused : List.of(added, inserted)) {
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.element("HeadersNotSigned")).isEqualTo(HEADER);
        }
    }

    @Test
    void strangersReadZipsOfOpenBuckets() throws IOException {
        for (String bucket : List.of("open", "readable")) {
            store(bucket, "a.zip", zip);
            store(bucket, "b.tar", FILES.tar());
        }
        SigningClient stranger = SigningClient.anonymous(gateway);

        assertThat(get(stranger, "/open/a.zip/one").bytes())
                .isEqualTo(FILES.files().get("one"));
        assertThat(ParsedListing.of(get(stranger, "/open?list-type=2&prefix=a.zip/"))
                        .keys())
                .hasSize(4);
        assertThat(get(stranger, "/readable/a.zip/one").status()).isEqualTo(200);
        assertThat(get(stranger, "/readable?list-type=2&prefix=a.zip/").status())
                .isEqualTo(403);
        assertThat(get(stranger, "/data/a.zip/one").status()).isEqualTo(403);
        // A tar would have to be read to its end.
        assertThat(get(stranger, "/open/b.tar/one").status()).isEqualTo(404);
        assertThat(get(client, "/open/b.tar/one").status()).isEqualTo(200);
    }

    @Test
    void archivesAreThoseBelowThePrefixOfTheBucket() throws IOException {
        store("view", "x.zip/b.zip", zip);
        store("view", "x.zip", TestArchive.of("b.zip").zip(ZipEntry.STORED));
        store("view", "outside.zip", zip);

        assertThat(get(client, "/view/b.zip/one").bytes())
                .isEqualTo(FILES.files().get("one"));
        assertThat(keys("/view?list-type=2&prefix=b.zip/o")).containsExactly("b.zip/one");
        assertThat(get(client, "/view/../outside.zip/one").status()).isEqualTo(403);
    }

    @Test
    void derivedBucketHasNoArchives() throws IOException {
        assertThat(client.get("/samples/a.zip/one").status()).isEqualTo(200);
        assertThat(get(client, "/samples/a.zip/one").status()).isEqualTo(404);
        assertThat(keys("/samples?list-type=2&prefix=a.zip/")).isEmpty();
    }

    @Test
    void versionsOfArchivesAreNotOpened() throws IOException {
        Response response = get(client, "/data/a.zip/one?versionId=null");

        assertThat(response.status()).isEqualTo(501);
        assertThat(response.element("Message")).contains("versionId");
    }

    @Test
    void warmMembersTakeTheFastPath() throws IOException {
        Polling.until("a member is on the fast path", () -> {
            assertThat(get(client, "/data/a.zip/one").bytes())
                    .isEqualTo(FILES.files().get("one"));
            List<RequestRecord> ended = gateway.requests();
            return !ended.isEmpty() && ended.get(ended.size() - 1).fastPath();
        });
    }

    @Test
    void auditNamesTheArchive() throws IOException {
        assertThat(get(client, "/data/a.zip/one").status()).isEqualTo(200);

        Polling.until("the request has ended", () -> gateway.inFlight() == 0);
        assertThat(gateway.requests().get(0).decisions())
                .extracting(decision -> decision.key().value())
                .containsExactly("a.zip");
    }
}
