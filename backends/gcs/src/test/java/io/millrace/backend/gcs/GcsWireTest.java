package io.millrace.backend.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Requests of the backend, and its results for responses that an emulator does not give. */
@ExtendWith(BufferLeakExtension.class)
class GcsWireTest {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final byte[] BYTES = "the bytes of an object".getBytes(StandardCharsets.UTF_8);

    private DocumentedGcsServer server;
    private Backend backend;

    @BeforeEach
    void start() {
        server = new DocumentedGcsServer();
        server.storage().createBucket("bucket");
        backend = TestGcsServer.at(server.uri()).backend();
    }

    @AfterEach
    void stop() {
        backend.close().block();
        server.close();
    }

    @Test
    void versionIsTheGenerationAndTagTheMd5() {
        WriteResult written = put("key", BYTES);
        ObjectHead head = head("key");

        assertThat(head.version().validator())
                .isEqualTo(Long.toString(stored("key").generation()));
        assertThat(head.version().hasStrongValidator()).isTrue();
        assertThat(written.eTag()).isEqualTo(head.eTag());
        assertThat(head.eTag().orElseThrow().opaque()).matches("[0-9a-f]{32}");
    }

    @Test
    void compositeETagIsNoMd5AndFollowsTheGeneration() {
        compose("composite");
        ETag first = head("composite").eTag().orElseThrow();
        compose("composite");
        ETag second = head("composite").eTag().orElseThrow();

        assertThat(first.opaque()).doesNotMatch("[0-9a-f]{32}(-[0-9]+)?");
        assertThat(second).isNotEqualTo(first);
        assertThat(openedHead("composite").eTag()).contains(second);
        assertThat(list("").objects().get(0).eTag()).contains(second);
    }

    @Test
    void changedMetadataIsSeenUnderTheSameVersion() {
        put("key", BYTES);
        ObjectHead before = head("key");
        ObjectNode fields = JsonMapper.shared().createObjectNode().put("contentType", "text/x-changed");

        server.storage().patch("bucket", "key", fields);

        ObjectHead after = head("key");
        assertThat(after.version()).isEqualTo(before.version());
        assertThat(after.headers().first("content-type")).contains("text/x-changed");
        assertThat(after.lastModified()).isNotEqualTo(before.lastModified());
        assertThat(read(ReadRequest.of(ref("key")).requireVersion(before.version())))
                .isEqualTo(BYTES);
    }

    @Test
    void requiredVersionIsAPreconditionOnTheGeneration() {
        put("key", BYTES);
        ObjectHead head = head("key");
        server.clearCalls();

        read(ReadRequest.of(ref("key")).requireVersion(head.version()));

        assertThat(server.calls()).hasSize(1);
        assertThat(server.calls().get(0).header("x-goog-if-generation-match"))
                .contains(head.version().validator());
    }

    @Test
    void openingAnObjectCostsOneRequest() {
        put("key", BYTES);
        server.clearCalls();

        ObjectHead opened = openedHead("key");

        assertThat(server.calls()).hasSize(1);
        assertThat(opened.headers()).isEqualTo(head("key").headers());
    }

    @Test
    void readsGzippedObjectsAsStored() throws IOException {
        byte[] gzipped = gzip(BYTES);
        put("zipped", gzipped, HeaderList.EMPTY.with("content-encoding", "gzip"));
        ReadRequest ranged = ReadRequest.of(ref("zipped"))
                .withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(2, 9)));

        ObjectContent content = open("zipped");

        assertThat(content.head().headers().first("content-encoding")).contains("gzip");
        assertThat(content.length()).isEqualTo(gzipped.length);
        assertThat(drain(content)).isEqualTo(gzipped);
        assertThat(read(ranged)).isEqualTo(Arrays.copyOfRange(gzipped, 2, 10));
        assertThat(head("zipped").headers().first("content-encoding")).contains("gzip");
    }

    @Test
    void decompressedObjectIsRefused() throws IOException {
        put("zipped", gzip(BYTES), HeaderList.EMPTY.with("content-encoding", "gzip"));
        server.change((call, response) -> call.path().endsWith("/zipped")
                        && call.header("accept-encoding").isPresent()
                ? response.without("content-encoding").withBody(BYTES)
                : response);

        assertThat(failure(backend.open(ReadRequest.of(ref("zipped")))).kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @Test
    void defaultCacheControlOfTheServerIsNoMetadata() {
        put("plain", BYTES);
        put("cached", BYTES, HeaderList.EMPTY.with("cache-control", "max-age=60"));

        assertThat(openedHead("plain").headers().fields())
                .extracting(HeaderField::name)
                .doesNotContain("cache-control", "expires");
        assertThat(openedHead("cached").headers().first("cache-control")).contains("max-age=60");
    }

    @Test
    void userMetadataGoesBothWays() {
        String utf8 = new String("grün €".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        put("key", BYTES, HeaderList.EMPTY.with("x-amz-meta-colour", utf8));

        assertThat(stored("key").fields().path("metadata").path("colour").asString())
                .isEqualTo("grün €");
        assertThat(head("key").headers().first("x-amz-meta-colour")).contains(utf8);
        assertThat(openedHead("key").headers().first("x-amz-meta-colour")).contains(utf8);
    }

    @Test
    void metadataThatFitsNoHeaderIsCounted() {
        ObjectNode fields = JsonMapper.shared().createObjectNode();
        fields.putObject("metadata").put("a b", "1").put("lines", "1\n2").put("fits", "3");
        server.storage().put("bucket", "key", BYTES, fields);

        HeaderList headers = head("key").headers();

        assertThat(headers.first("x-amz-missing-meta")).contains("2");
        assertThat(headers.first("x-amz-meta-fits")).contains("3");
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            x-amz-tagging,                               a=b
            x-amz-object-lock-mode,                      GOVERNANCE
            x-amz-server-side-encryption,                aws:kms
            x-amz-server-side-encryption-customer-key,   abc
            x-amz-website-redirect-location,             /other
            x-amz-acl,                                   public-read
            x-amz-storage-class,                         GLACIER
            x-amz-checksum-xxhash64,                     AAAAAAAAAAA=
            x-amz-something-new,                         1
            """)
    void headerThatCannotBeHonouredIsRefused(String name, String value) {
        BackendException refused = failure(putting("key", BYTES, HeaderList.EMPTY.with(name, value)));

        assertThat(refused.kind()).isEqualTo(FailureKind.UNSUPPORTED);
        assertThat(refused).hasMessageContaining(name);
        assertThat(refused.s3Error().map(BackendException.S3Error::message).orElseThrow())
                .as("what the client is told")
                .contains(name)
                .endsWith("is not supported by backend type gcs.");
        assertThat(server.calls()).isEmpty();
    }

    @Test
    void reservedMetadataIsNeitherWrittenNorSeen() {
        put("key", BYTES, HeaderList.EMPTY.with("expires", "Wed, 01 Dec 2094 16:00:00 GMT"));

        assertThat(failure(putting("key", BYTES, HeaderList.EMPTY.with("x-amz-meta-millrace-etag", "forged")))
                        .s3Error()
                        .map(BackendException.S3Error::code))
                .contains("InvalidArgument");
        assertThat(head("key").headers().fields())
                .extracting(HeaderField::name)
                .contains("expires")
                .noneMatch(name -> name.startsWith("x-amz-meta-"));
    }

    /** Downloads remember so where an object is from. */
    @Test
    void otherMetadataWithThePrefixOfReservedOneGoesBothWays() {
        put("key", BYTES, HeaderList.EMPTY.with("x-amz-meta-millrace-source", "https://example.com/a"));

        assertThat(head("key").headers().first("x-amz-meta-millrace-source")).contains("https://example.com/a");
    }

    @Test
    void sendsChecksumsForTheServerToVerify() {
        HeaderList wrong = HeaderList.EMPTY.with("x-amz-checksum-crc32c", "AAAAAA==");

        BackendException refused = failure(putting("key", BYTES, wrong));

        assertThat(refused.s3Error().map(BackendException.S3Error::code)).contains("BadDigest");
        assertThat(server.storage().find("bucket", "key")).isEmpty();
    }

    @Test
    void objectThatWasStoredWithOtherBytesIsDeleted() {
        server.change((call, response) -> call.path().startsWith("/upload")
                ? response.withBody(new String(response.body(), StandardCharsets.UTF_8)
                        .replace(stored("key").crc32c(), "AAAAAA==")
                        .getBytes(StandardCharsets.UTF_8))
                : response);

        BackendException corrupt = failure(putting("key", BYTES, HeaderList.EMPTY));

        assertThat(corrupt.kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
        assertThat(server.storage().find("bucket", "key")).isEmpty();
    }

    @Test
    void serversChecksumIsReturnedOnRequest() {
        put("key", BYTES);

        HeaderList headers = backend.head(ReadRequest.of(ref("key")).withChecksums())
                .map(found -> found.head().headers())
                .block();

        assertThat(Objects.requireNonNull(headers).first("x-amz-checksum-crc32c"))
                .contains(stored("key").crc32c());
        assertThat(headers.first("x-amz-checksum-type")).contains("FULL_OBJECT");
    }

    @Test
    void copyGoesOnUntilTheServerIsDone() {
        put("source", BYTES);
        server.storage().rewriteInSteps(4);
        server.clearCalls();

        copy("source", "copy", WriteCondition.ALWAYS).block();

        List<RecordedRequest> rewrites = server.calls().stream()
                .filter(call -> call.path().contains("rewriteTo"))
                .toList();
        assertThat(rewrites).hasSize(4);
        assertThat(rewrites.get(0).parameter("rewriteToken")).isEmpty();
        assertThat(rewrites.subList(1, 4))
                .allMatch(call -> call.parameter("rewriteToken").isPresent());
        assertThat(read(ReadRequest.of(ref("copy")))).isEqualTo(BYTES);
    }

    @Test
    void copyOfAChangingSourceCopiesTheNewVersion() {
        put("source", BYTES, HeaderList.EMPTY.with("x-amz-meta-round", "1"));
        AtomicInteger rewrites = new AtomicInteger();
        server.beforehand(call -> {
            if (call.path().contains("rewriteTo") && rewrites.getAndIncrement() == 0) {
                ObjectNode fields = JsonMapper.shared().createObjectNode();
                fields.putObject("metadata").put("round", "2");
                server.storage().put("bucket", "source", new byte[] {2}, fields);
            }
        });

        copy("source", "copy", WriteCondition.ALWAYS).block();

        assertThat(read(ReadRequest.of(ref("copy")))).containsExactly(2);
        assertThat(head("copy").headers().first("x-amz-meta-round")).contains("2");
        assertThat(rewrites).hasValue(2);
    }

    @Test
    void conditionalWriteThatLosesARaceIsAConflict() {
        put("key", BYTES);
        server.beforehand(call -> {
            if (call.path().startsWith("/upload")) {
                server.storage()
                        .put(
                                "bucket",
                                "key",
                                new byte[] {9},
                                JsonMapper.shared().createObjectNode());
            }
        });
        NewObject differs =
                new NewObject(ref("key"), HeaderList.EMPTY, new WriteCondition.IfDiffers(ETag.strong("another")));

        BackendException lost = failure(backend.put(differs, UploadBodies.of(BYTES)));

        assertThat(lost.s3Error().map(BackendException.S3Error::code)).contains("ConditionalRequestConflict");
        assertThat(read(ReadRequest.of(ref("key")))).containsExactly(9);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            400, invalid,           INVALID_REQUEST
            401, authError,         CREDENTIALS_REJECTED
            403, forbidden,         ACCESS_DENIED
            403, rateLimitExceeded, THROTTLED
            404, notFound,          NO_SUCH_KEY
            408, requestTimeout,    UNAVAILABLE
            412, conditionNotMet,   VERSION_CHANGED
            429, rateLimitExceeded, THROTTLED
            500, backendError,      UNAVAILABLE
            503, backendError,      UNAVAILABLE
            """)
    void errorsOfTheServerHaveTheirKinds(int status, String reason, FailureKind kind) {
        server.change((call, response) -> call.path().contains("/o/")
                ? GcsResponses.error(status, reason, "No such object, or other words")
                : response);

        BackendException failure = failure(backend.head(ReadRequest.of(ref("key"))));

        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure)
                .hasMessageContaining("backend 'test'")
                .hasMessageContaining("bucket/key")
                .hasMessageContaining(Integer.toString(status));
    }

    /** Tests the answer to a backend without credentials of a bucket that is private, or that does not exist. */
    @Test
    void bucketThatStrangersMayNotReadRejectsNoCredentials() {
        server.change((call, response) -> call.path().contains("/o/")
                ? GcsResponses.error(
                        401, "required", "Anonymous caller does not have storage.objects.get access to the object.")
                : response);

        assertThat(failure(backend.head(ReadRequest.of(ref("key")))).kind()).isEqualTo(FailureKind.ACCESS_DENIED);
    }

    @Test
    void refusedNameOfABucketHasTheCodeOfS3() {
        server.change((call, response) -> GcsResponses.error(400, "invalid", "Invalid bucket name: 'bucket'"));

        assertThat(failure(backend.headBucket(BUCKET)).s3Error().map(BackendException.S3Error::code))
                .contains("InvalidBucketName");
    }

    @Test
    void throttledRequestReportsWhenToRetry() {
        server.change((call, response) -> call.path().contains("/o/")
                ? GcsResponses.error(429, "rateLimitExceeded", "slow down").with("Retry-After", "7")
                : response);

        BackendException failure = failure(backend.head(ReadRequest.of(ref("key"))));

        assertThat(failure.retryAfter()).contains(Duration.ofSeconds(7));
        assertThat(failure.isUnprocessed()).isTrue();
    }

    @Test
    void unclear404IsDecidedByTheBucket() {
        server.change(
                (call, response) -> response.status() == 404 && !call.path().endsWith("/b/nowhere-else")
                        ? PlannedResponse.text(404, "Not Found")
                        : response);

        assertThat(failure(backend.open(ReadRequest.of(ref("nothing")))).kind()).isEqualTo(FailureKind.NO_SUCH_KEY);
        ObjectRef nowhere = new ObjectRef(new BucketName("nowhere-else"), new ObjectKey("key"));
        assertThat(failure(backend.open(ReadRequest.of(nowhere))).kind()).isEqualTo(FailureKind.NO_SUCH_BUCKET);
    }

    @Test
    void headBucketWorksWithoutTheBucketRight() {
        server.change((call, response) -> call.path().endsWith("/b/bucket")
                ? GcsResponses.error(403, "forbidden", "storage.buckets.get denied")
                : response);

        assertThat(Objects.requireNonNull(backend.headBucket(BUCKET).block()).name())
                .isEqualTo(BUCKET);
    }

    @Test
    void bodyThatIsCutShortFails() {
        put("key", new byte[100_000]);
        server.change((call, response) -> call.path().equals("/bucket/key") ? response.cutTo(50_000) : response);

        ObjectContent content = open("key");

        assertThat(failure(Mono.fromSupplier(() -> drain(content))).kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @Test
    void responseOfAnotherGenerationIsAChangedVersion() {
        put("key", BYTES);
        ObjectHead head = head("key");
        server.change((call, response) ->
                call.path().equals("/bucket/key") ? response.with("x-goog-generation", "1234") : response);

        assertThat(failure(backend.open(ReadRequest.of(ref("key")).requireVersion(head.version())))
                        .kind())
                .isEqualTo(FailureKind.VERSION_CHANGED);
    }

    @Test
    void wrongRangeIsRefused() {
        put("key", BYTES);
        server.change((call, response) ->
                call.header("range").isPresent() ? response.with("Content-Range", "bytes 3-6/22") : response);
        ReadRequest ranged =
                ReadRequest.of(ref("key")).withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(2, 5)));

        assertThat(failure(backend.open(ranged)).kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @Test
    void listBeginsAfterTheStart() {
        List.of("a", "b", "c").forEach(name -> put(name, BYTES));
        server.clearCalls();

        ListPage page = Objects.requireNonNull(
                backend.listObjects(new ListRequest(BUCKET, "", "", new PageStart.StartAfter("a"), 1, false))
                        .block());

        assertThat(page.objects()).extracting(object -> object.key().value()).containsExactly("b");
        assertThat(page.next()).isPresent();
        assertThat(server.calls().get(0).parameter("startOffset")).contains("a");
        assertThat(server.calls().get(0).parameter("maxResults")).contains("2");
    }

    @Test
    void emptyPageWithATokenDoesNotEndAList() {
        List.of("a/1", "a/2", "b").forEach(name -> put(name, BYTES));
        server.change(GcsWireTest::afterAnEmptyPage);

        assertThat(list("").objects())
                .extracting(object -> object.key().value())
                .containsExactly("a/1", "a/2", "b");
        assertThat(prefixesAfter("")).containsExactly("a/");
        assertThat(prefixesAfter("a/1")).as("its second key decides").containsExactly("a/");
        assertThat(Objects.requireNonNull(backend.listBuckets().block())).hasSize(1);
    }

    @Test
    void emptyPageOfUploadsDoesNotEndThem() {
        backend.createUpload(new NewObject(ref("key"), HeaderList.EMPTY, WriteCondition.ALWAYS))
                .block();
        server.change(GcsWireTest::afterAnEmptyPage);

        assertThat(Objects.requireNonNull(backend.listUploads(new ListUploadsRequest(BUCKET, "", "", "", "", 10))
                                .block())
                        .uploads())
                .hasSize(1);
    }

    /**
     * The server may end a page early with nothing on it. Its token, of the text before all keys, gets what would have
     * come.
     */
    private static PlannedResponse afterAnEmptyPage(RecordedRequest call, PlannedResponse response) {
        boolean isList = call.method().equals("GET")
                && (call.path().endsWith("/o") || call.path().endsWith("/b"))
                && call.parameter("pageToken").isEmpty();
        return isList ? response.withBody("{\"nextPageToken\": \"AA==\"}".getBytes(StandardCharsets.UTF_8)) : response;
    }

    /** An empty document would be an empty bucket. */
    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[]", "\"ok\""})
    void listWithoutADocumentIsNoEmptyList(String body) {
        put("b", BYTES);
        server.change((call, response) -> response.withBody(body.getBytes(StandardCharsets.UTF_8)));

        assertThat(failure(backend.listObjects(new ListRequest(BUCKET, "", "", new PageStart.FirstKey(), 1000, false)))
                        .kind())
                .isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    /** As any web server answers; the words of a parser would tell nobody what to mend. */
    @ParameterizedTest
    @ValueSource(strings = {"OK", "<html>Welcome</html>", "[1]"})
    void webServerIsNoGoogleCloudStorage(String body) {
        server.change((call, response) -> PlannedResponse.text(200, body).with("Content-Type", "text/plain"));

        BackendException failure = failure(backend.headBucket(BUCKET));

        assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
        assertThat(failure)
                .hasMessageContaining("no Google Cloud Storage")
                .hasMessageContaining("200, text/plain, '" + body + "'")
                .hasMessageContaining("check the backend's endpoint")
                .hasMessageNotContaining("token");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "{}"})
    void deletionMayHaveNoDocument(String body) {
        put("b", BYTES);
        server.change((call, response) -> call.method().equals("DELETE") ? PlannedResponse.text(200, body) : response);

        backend.delete(Deletion.of(ref("b")), HeaderList.EMPTY).block();

        assertThat(server.storage().find("bucket", "b")).isEmpty();
    }

    @Test
    void startInsideACommonPrefixStillListsIt() {
        List.of("a/1", "a/2", "b").forEach(name -> put(name, BYTES));

        assertThat(prefixesAfter("a/1")).containsExactly("a/");
        assertThat(prefixesAfter("a/2")).isEmpty();
    }

    private List<String> prefixesAfter(String start) {
        return Objects.requireNonNull(backend.listObjects(
                                new ListRequest(BUCKET, "", "/", new PageStart.StartAfter(start), 10, false))
                        .block())
                .prefixes();
    }

    private void compose(String key) {
        server.storage().putComposite("bucket", key, BYTES);
    }

    private WriteResult put(String key, byte[] bytes) {
        return put(key, bytes, HeaderList.EMPTY);
    }

    private WriteResult put(String key, byte[] bytes, HeaderList headers) {
        return Objects.requireNonNull(putting(key, bytes, headers).block());
    }

    private Mono<WriteResult> putting(String key, byte[] bytes, HeaderList headers) {
        return backend.put(new NewObject(ref(key), headers, WriteCondition.ALWAYS), UploadBodies.of(bytes));
    }

    private Mono<WriteResult> copy(String source, String target, WriteCondition condition) {
        return backend.copy(
                new CopySource(ref(source), Optional.empty(), ReadConditions.NONE),
                new NewObject(ref(target), HeaderList.EMPTY, condition));
    }

    private ObjectHead head(String key) {
        return Objects.requireNonNull(backend.head(ReadRequest.of(ref(key))).block())
                .head();
    }

    private ObjectContent open(String key) {
        return Objects.requireNonNull(backend.open(ReadRequest.of(ref(key))).block());
    }

    private ObjectHead openedHead(String key) {
        ObjectContent content = open(key);
        content.discard();
        return content.head();
    }

    private ListPage list(String prefix) {
        return Objects.requireNonNull(
                backend.listObjects(new ListRequest(BUCKET, prefix, "", new PageStart.FirstKey(), 1000, false))
                        .block());
    }

    private byte[] read(ReadRequest request) {
        return drain(Objects.requireNonNull(backend.open(request).block()));
    }

    private static byte[] drain(ObjectContent content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        content.body()
                .doOnNext(piece -> bytes.writeBytes(UploadBodies.takeBytes(piece)))
                .then()
                .block();
        return bytes.toByteArray();
    }

    private StoredObject stored(String key) {
        return server.storage().find("bucket", key).orElseThrow();
    }

    private static ObjectRef ref(String key) {
        return new ObjectRef(BUCKET, new ObjectKey(key));
    }

    private static BackendException failure(Mono<?> call) {
        return Objects.requireNonNull(
                catchThrowableOfType(BackendException.class, call::block), "a failure was expected");
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
            out.write(bytes);
        }
        return zipped.toByteArray();
    }
}
