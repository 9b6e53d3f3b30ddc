package io.millrace.backend.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Requests as they are sent, and responses that no emulator gives. */
@ExtendWith(BufferLeakExtension.class)
class AzureWireTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final BucketName CONTAINER = new BucketName("container");
    private static final ObjectRef BLOB = new ObjectRef(CONTAINER, new ObjectKey("a key/ä.bin"));
    private static final MultipartUpload UPLOAD = new MultipartUpload(BLOB, "0123456789abcdef0123456789abcdef");
    private static final String PATH = "/container/a%20key/%C3%A4.bin";
    private static final PlannedResponse HEAD = PlannedResponse.of(200)
            .with("etag", "\"0x8D1\"")
            .with("content-length", "10")
            .with("last-modified", "Wed, 01 Dec 2094 16:00:00 GMT");

    private static final PlannedResponse LAST_THREE =
            PlannedResponse.text(206, "789").with("etag", "\"0x8D1\"").with("content-range", "bytes 7-9/10");

    private final ScriptedBlobService server = new ScriptedBlobService();
    private final Backend backend = AzureTestAccount.at(server.url()).backend();

    @AfterEach
    void stop() {
        backend.close().block(TIMEOUT);
        server.close();
    }

    @Test
    void readPinsVersionRangeAndApiVersion() {
        server.respond(request ->
                PlannedResponse.text(206, "2345").with("etag", "\"0x8D1\"").with("content-range", "bytes 2-5/10"));
        ReadRequest request = ReadRequest.of(BLOB)
                .withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(2, 5)))
                .requireVersion(version());

        ObjectContent content = await(backend.open(request));
        content.discard();

        assertThat(content.range()).contains(new ByteRange(2, 5));
        RecordedRequest sent = server.requests().get(0);
        assertThat(sent.method() + " " + sent.target()).isEqualTo("GET " + PATH);
        assertThat(sent.header("x-ms-range")).contains("bytes=2-5");
        assertThat(sent.header("if-match")).contains("\"0x8D1\"");
        assertThat(sent.header("x-ms-version")).contains("2021-12-02");
        assertThat(sent.header("authorization").orElseThrow()).startsWith("SharedKey devstoreaccount1:");
    }

    @Test
    void anonymousReadIsUnsigned() {
        server.respond(request -> HEAD);
        Backend anonymous = AzureTestAccount.at(server.url()).anonymousBackend();

        await(anonymous.head(ReadRequest.of(BLOB)));

        assertThat(server.requests().get(0).target()).isEqualTo(PATH);
        assertThat(server.requests().get(0).header("authorization")).isEmpty();
        anonymous.close().block(TIMEOUT);
    }

    @Test
    void suffixIsReadOfTheVersionThatHeadReported() {
        server.respond(request -> request.method().equals("HEAD") ? HEAD : LAST_THREE);

        ObjectContent content = await(backend.open(suffix(3)));
        content.discard();

        assertThat(server.requests().get(1).header("x-ms-range")).contains("bytes=7-9");
        assertThat(server.requests().get(1).header("if-match")).contains("\"0x8D1\"");
    }

    @Test
    void suffixOfAReplacedObjectIsResolvedAgain() {
        AtomicInteger gets = new AtomicInteger();
        server.respond(request -> request.method().equals("HEAD")
                ? HEAD
                : gets.incrementAndGet() == 1 ? ScriptedBlobService.error(412, "ConditionNotMet") : LAST_THREE);

        await(backend.open(suffix(3))).discard();

        assertThat(gets).hasValue(2);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            404, BlobNotFound,                       NO_SUCH_KEY
            404, ContainerNotFound,                  NO_SUCH_BUCKET
            403, AuthenticationFailed,               CREDENTIALS_REJECTED
            403, KeyBasedAuthenticationNotPermitted, CREDENTIALS_REJECTED
            403, AuthorizationPermissionMismatch,    ACCESS_DENIED
            401, NoAuthenticationInformation,        ACCESS_DENIED
            409, BlobArchived,                       INVALID_STATE
            503, ServerBusy,                         THROTTLED
            429, TooManyRequests,                    THROTTLED
            500, OperationTimedOut,                  UNAVAILABLE
            500, InternalError,                      UNAVAILABLE
            """)
    void errorsOfReadsHaveTheirKind(int status, String code, FailureKind kind) {
        server.respond(request -> ScriptedBlobService.error(status, code).with("retry-after", "3"));

        assertThat(failureOf(backend.open(ReadRequest.of(BLOB))).kind()).isEqualTo(kind);
        assertThat(failureOf(backend.head(ReadRequest.of(BLOB))).kind()).isEqualTo(kind);
    }

    @ParameterizedTest
    @CsvSource({"retry-after, 3, 3000", "x-ms-retry-after-ms, 250, 250"})
    void busyServiceSaysHowLongToWait(String header, String value, long milliseconds) {
        server.respond(request -> ScriptedBlobService.error(503, "ServerBusy").with(header, value));

        BackendException failure = failureOf(backend.open(ReadRequest.of(BLOB)));

        assertThat(failure.retryAfter()).contains(Duration.ofMillis(milliseconds));
        assertThat(failure.isUnprocessed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            409, BlobAlreadyExists,        PRECONDITION_FAILED, ''
            412, ConditionNotMet,          PRECONDITION_FAILED, ''
            412, LeaseIdMissing,           INVALID_STATE,       OperationAborted
            409, BlobImmutableDueToPolicy, INVALID_STATE,       AccessDenied
            400, Md5Mismatch,              INVALID_REQUEST,     BadDigest
            413, RequestBodyTooLarge,      INVALID_REQUEST,     EntityTooLarge
            503, ServerBusy,               THROTTLED,           ''
            """)
    void errorsOfWritesHaveTheirKindAndS3sCode(int status, String code, FailureKind kind, String s3) {
        server.respond(request -> ScriptedBlobService.error(status, code));

        BackendException failure = failureOf(backend.put(object(HeaderList.EMPTY), UploadBodies.of(new byte[0])));

        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure.s3Error().map(S3Error::code).orElse("")).isEqualTo(s3);
        assertThat(failure).hasMessageContaining(code).hasMessageNotContaining("RequestId");
    }

    @Test
    void deleteOfABlobWithSnapshotsIsRefused() {
        server.respond(request -> ScriptedBlobService.error(409, "SnapshotsPresent"));

        BackendException failure = failureOf(backend.delete(Deletion.of(BLOB), HeaderList.EMPTY));

        assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_STATE);
        assertThat(failure).hasMessageContaining("snapshots first");
        assertThat(server.requests().get(0).header("x-ms-delete-snapshots")).isEmpty();
    }

    @Test
    void putSendsPropertiesMetadataAndCondition() {
        server.respond(request -> PlannedResponse.of(201).with("etag", "\"0x8D2\""));
        HeaderList headers = HeaderList.EMPTY
                .with("content-type", "text/x")
                .with("cache-control", "no-cache")
                .with("expires", "0")
                .with("x-amz-meta-my-key", "v")
                .with("content-md5", "CY9rzUYh03PK3k6DJie09g==")
                .with("x-amz-checksum-crc32", "2H9+DA==");
        NewObject object = new NewObject(BLOB, headers, new WriteCondition.IfExists());

        assertThat(await(backend.put(object, UploadBodies.of("test".getBytes(StandardCharsets.UTF_8))))
                        .eTag())
                .contains(ETag.strong("0x8D2"));

        RecordedRequest sent = server.requests().get(0);
        assertThat(sent.headers())
                .containsEntry("x-ms-blob-type", "BlockBlob")
                .containsEntry("x-ms-blob-content-type", "text/x")
                .containsEntry("x-ms-blob-cache-control", "no-cache")
                .containsEntry("x-ms-meta-millrace_n_my_2dkey", "v")
                .containsEntry("x-ms-meta-millrace_h_expires", "=0")
                .containsEntry("content-md5", "CY9rzUYh03PK3k6DJie09g==")
                .containsEntry("content-length", "4")
                .containsEntry("if-match", "*")
                .doesNotContainKey("x-amz-checksum-crc32");
        assertThat(sent.text()).isEqualTo("test");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-amz-server-side-encryption",
                "x-amz-tagging",
                "x-amz-object-lock-mode",
                "x-amz-grant-read",
                "x-amz-checksum-xxhash64",
                "x-amz-unheard-of"
            })
    void headerThatABlobCannotHonourIsRefused(String name) {
        BackendException failure =
                failureOf(backend.put(object(HeaderList.EMPTY.with(name, "x")), UploadBodies.of(new byte[] {1})));

        assertThat(failure.kind()).isEqualTo(FailureKind.UNSUPPORTED);
        assertThat(failure).hasMessageContaining(name);
        assertThat(failure.s3Error().map(S3Error::message).orElseThrow())
                .as("what the client is told")
                .contains(name)
                .endsWith("is not supported by backend type azure.");
        assertThat(server.requests()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/../b", "./a", "..", "back\\slash", ".millrace/uploads/1", "line\nbreak"})
    void keyThatWouldBeAnotherIsRefused(String key) {
        NewObject object =
                new NewObject(new ObjectRef(CONTAINER, new ObjectKey(key)), HeaderList.EMPTY, WriteCondition.ALWAYS);

        BackendException failure = failureOf(backend.put(object, UploadBodies.of(new byte[] {1})));

        assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_REQUEST);
        assertThat(failure.s3Error().map(S3Error::code)).contains("InvalidArgument");
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void bucketThatNoContainerCanBeIsMissing() {
        BucketName name = new BucketName("Upper.Case");

        assertThat(failureOf(backend.headBucket(name)).kind()).isEqualTo(FailureKind.NO_SUCH_BUCKET);
        assertThat(server.requests()).isEmpty();
    }

    /** A HEAD has no body, so that the header alone tells. */
    @Test
    void containerIsMissingByTheWordOfTheServiceAlone() {
        server.respond(request -> PlannedResponse.of(404, "x-ms-error-code", "ContainerNotFound"));
        assertThat(failureOf(backend.headBucket(CONTAINER)).kind()).isEqualTo(FailureKind.NO_SUCH_BUCKET);

        server.respond(request -> PlannedResponse.of(404, "x-ms-error-code", "ResourceNotFound"));
        assertThat(failureOf(backend.headBucket(CONTAINER)).kind()).isEqualTo(FailureKind.INVALID_RESPONSE);

        server.respond(request -> PlannedResponse.of(404));
        assertThat(failureOf(backend.headBucket(CONTAINER)).kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @Test
    void blobIsMissingByAnyAnswerOfTheService() {
        server.respond(request -> PlannedResponse.of(404));

        assertThat(failureOf(backend.head(ReadRequest.of(BLOB))).kind()).isEqualTo(FailureKind.NO_SUCH_KEY);
        assertThat(failureOf(backend.open(ReadRequest.of(BLOB))).kind()).isEqualTo(FailureKind.NO_SUCH_KEY);
        await(backend.delete(Deletion.of(BLOB), HeaderList.EMPTY));
    }

    /** A client would take the blob for deleted, and a cache remember that it is absent. */
    @Test
    void noBlobIsMissingByTheAnswerOfAnyWebServer() {
        server.respondWithoutId(request -> PlannedResponse.text(404, "nothing here"));

        for (BackendException failure : List.of(
                failureOf(backend.head(ReadRequest.of(BLOB))),
                failureOf(backend.open(ReadRequest.of(BLOB))),
                failureOf(backend.delete(Deletion.of(BLOB), HeaderList.EMPTY)),
                failureOf(backend.listParts(UPLOAD, 0, 10)))) {
            assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(FailureKind.INVALID_RESPONSE);
            assertThat(failure).hasMessageContaining("check the backend's account and endpoint");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {403, 404})
    void refusalOfAnyWebServerIsNoneOfTheService(int status) {
        server.respondWithoutId(request -> PlannedResponse.text(status, "nothing here"));
        ListRequest list = new ListRequest(CONTAINER, "", "", new PageStart.FirstKey(), 1, false);

        for (BackendException failure : List.of(
                failureOf(backend.headBucket(CONTAINER)),
                failureOf(backend.listBuckets()),
                failureOf(backend.listObjects(list)))) {
            assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(FailureKind.INVALID_RESPONSE);
            assertThat(failure).hasMessageContaining("check the backend's account and endpoint");
        }
    }

    @Test
    void sasIsSentButStandsInNoMessage() {
        Backend signed = AzureTestAccount.at(server.url())
                .withSas("?sv=2022-11-02&sp=rl&sig=s3cr+t%2Fsig%3D")
                .backend();
        server.respond(request -> ScriptedBlobService.error(403, "AuthorizationPermissionMismatch"));

        BackendException failure = failureOf(signed.open(ReadRequest.of(BLOB)));

        assertThat(server.requests().get(0).target()).isEqualTo(PATH + "?sv=2022-11-02&sp=rl&sig=s3cr%2Bt%2Fsig%3D");
        assertThat(server.requests().get(0).header("authorization")).isEmpty();
        assertThat(failure).hasMessageNotContaining("s3cr").hasMessageNotContaining("sig");
        signed.close().block(TIMEOUT);
    }

    @Test
    void unreachableServiceNamesNoSas() throws IOException {
        try (ReservedPort nobody = new ReservedPort()) {
            Backend signed =
                    AzureTestAccount.at(nobody.uri()).withSas("sv=1&sig=s3cret").backend();

            BackendException failure = failureOf(signed.open(ReadRequest.of(BLOB)));

            assertThat(failure.kind()).isEqualTo(FailureKind.UNAVAILABLE);
            assertThat(failure).hasMessageNotContaining("s3cret");
            signed.close().block(TIMEOUT);
        }
    }

    @Test
    void copyGrantsReadOfTheSourceAndPinsIt() {
        server.respond(request -> request.method().equals("HEAD")
                ? HEAD.with("x-ms-tag-count", "2")
                : PlannedResponse.of(202)
                        .with("etag", "\"0x8D3\"")
                        .with("last-modified", "Wed, 01 Dec 2094 16:00:00 GMT")
                        .with("x-ms-copy-status", "success"));

        assertThat(await(backend.copy(source(), target("copy"))).eTag()).contains(ETag.strong("0x8D3"));

        RecordedRequest sent = server.requests().get(1);
        assertThat(sent.method() + " " + sent.target()).isEqualTo("PUT /container/copy");
        assertThat(sent.headers())
                .containsEntry("x-ms-requires-sync", "true")
                .containsEntry("x-ms-source-if-match", "\"0x8D1\"")
                .containsEntry("x-ms-copy-source-tag-option", "COPY")
                .containsEntry("if-none-match", "*");
        assertThat(sent.header("x-ms-copy-source").orElseThrow())
                .startsWith(server.url() + PATH + "?sv=2020-12-06&sr=b&sp=r&se=");
    }

    @Test
    void copyThatIsNotCompleteIsNoSuccess() {
        server.respond(request -> request.method().equals("HEAD")
                ? HEAD
                : PlannedResponse.of(202).with("etag", "\"0x8D3\"").with("x-ms-copy-status", "pending"));

        assertThat(failureOf(backend.copy(source(), target("copy"))).kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @Test
    void copyOfALargeObjectIsStreamed() {
        long size = BlobCopier.MAX_BYTES_AT_ONCE + 1;
        server.respond(request -> request.method().equals("HEAD")
                ? HEAD.with("content-length", String.valueOf(size))
                : ScriptedBlobService.error(503, "ServerBusy"));

        failureOf(backend.copy(source(), target("copy")));

        RecordedRequest sent = server.requests().get(1);
        assertThat(sent.method() + " " + sent.target()).isEqualTo("GET " + PATH);
        assertThat(sent.header("if-match")).contains("\"0x8D1\"");
    }

    @Test
    void copyThatWouldLoseTagsIsRefused() {
        server.respond(request -> HEAD.with("x-ms-tag-count", "2"));
        HeaderList replaced = HeaderList.EMPTY.with("x-amz-metadata-directive", "REPLACE");

        BackendException failure =
                failureOf(backend.copy(source(), new NewObject(BLOB, replaced, WriteCondition.ALWAYS)));

        assertThat(failure.kind()).isEqualTo(FailureKind.UNSUPPORTED);
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void targetOfACopyInProgressIsUnavailable() {
        server.respond(request -> HEAD.with("x-ms-copy-status", "pending"));

        assertThat(failureOf(backend.head(ReadRequest.of(BLOB))).kind()).isEqualTo(FailureKind.UNAVAILABLE);
    }

    @Test
    void accessTierIsAStorageClass() {
        server.respond(request -> HEAD.with("x-ms-access-tier", "Cool").with("x-ms-tag-count", "1"));

        HeadResult head = await(backend.head(ReadRequest.of(BLOB)));

        assertThat(head.head().headers().first("x-amz-storage-class")).contains("STANDARD_IA");
        assertThat(head.head().headers().first("x-amz-tagging-count")).contains("1");
    }

    @Test
    void otherVersionThanTheRequiredIsCaught() {
        server.respond(request ->
                PlannedResponse.text(206, "2345").with("etag", "\"0x8D9\"").with("content-range", "bytes 2-5/10"));
        ReadRequest request = ReadRequest.of(BLOB)
                .withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(2, 5)))
                .requireVersion(version());

        assertThat(failureOf(backend.open(request)).kind()).isEqualTo(FailureKind.VERSION_CHANGED);
    }

    @Test
    void wholeObjectForARangeIsCaught() {
        server.respond(request -> PlannedResponse.text(200, "0123456789").with("etag", "\"0x8D1\""));
        ReadRequest request =
                ReadRequest.of(BLOB).withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(2, 5)));

        assertThat(failureOf(backend.open(request)).kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @Test
    void listingFillsPagesDecodesNamesAndHidesDirectories() {
        server.respond(request -> request.target().contains("marker=next")
                ? page("", blob("<Name Encoded=\"true\">b%01%2B</Name>", ""), blob("<Name>c</Name>", ""))
                : page(
                        "next",
                        blob("<Name>.millrace/uploads/1</Name>", ""),
                        blob("<Name>a</Name>", "<AccessTier>Archive</AccessTier>"),
                        blob("<Name>dir</Name>", "<ResourceType>directory</ResourceType>")));

        ListPage page = ListedPages.page(backend, ListedPages.request(CONTAINER, "", "", 10));

        assertThat(ListedPages.keys(page)).containsExactly("a", "b\u0001+", "c");
        assertThat(page.objects().get(0).storageClass()).isEqualTo("GLACIER");
        assertThat(page.next()).isEmpty();
    }

    /** The service ends a page early, and perhaps with nothing on it, where it would look for long. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10})
    void emptyPageWithANextMarkerDoesNotEndAList(int maxKeys) {
        server.respond(AzureWireTest::withEmptyPages);

        ListedPages pages = ListedPages.readAll(backend, ListedPages.request(CONTAINER, "", "", maxKeys));
        ListedPages byMarker = ListedPages.readAll(
                backend, new ListRequest(CONTAINER, "", "", new PageStart.Marker(""), maxKeys, false));

        assertThat(pages.keys()).containsExactly("a", "b");
        assertThat(byMarker.keys()).containsExactly("a", "b");
    }

    @Test
    void containerWhoseFirstPageIsEmptyIsNotDeleted() {
        server.respond(AzureWireTest::withEmptyPages);

        BackendException failure = failureOf(backend.deleteBucket(CONTAINER));

        assertThat(failure.s3Error().map(S3Error::code)).contains("BucketNotEmpty");
        assertThat(server.requests()).noneMatch(request -> request.method().equals("DELETE"));
    }

    @Test
    void emptyPageOfContainersAndOfUploadsDoesNotEndThem() {
        server.respond(request -> {
            if (!request.target().contains("marker=two")) {
                return page("two");
            }
            return request.target().contains("prefix=")
                    ? page(
                            "",
                            "<Blob><Name>.millrace/uploads/1</Name><Properties/><Metadata>"
                                    + "<millrace_key>=key</millrace_key></Metadata></Blob>")
                    : PlannedResponse.text(
                            200,
                            "<EnumerationResults><Containers><Container><Name>later</Name></Container></Containers>"
                                    + "<NextMarker/></EnumerationResults>");
        });

        assertThat(await(backend.listBuckets()))
                .extracting(bucket -> bucket.name().value())
                .containsExactly("later");
        assertThat(await(backend.listUploads(new ListUploadsRequest(CONTAINER, "", "", "", "", 10)))
                        .uploads())
                .extracting(listed -> listed.upload().object().key().value())
                .containsExactly("key");
    }

    @Test
    void prefixOfHiddenBlobsOnlyIsNotListed() {
        server.respond(request -> request.target().contains("delimiter")
                ? page("", "<BlobPrefix><Name>.</Name></BlobPrefix>", "<BlobPrefix><Name>x.</Name></BlobPrefix>")
                : page("", blob("<Name>.millrace/uploads/1</Name>", "")));

        assertThat(ListedPages.page(backend, ListedPages.request(CONTAINER, "", ".", 10))
                        .prefixes())
                .containsExactly("x.");
    }

    @Test
    void pagesByMarkerContinueWhereTheyEnded() {
        server.respond(request -> request.target().contains("marker=two")
                ? page("", blob("<Name>c</Name>", ""))
                : page("two", blob("<Name>a</Name>", ""), blob("<Name>b</Name>", "")));
        ListRequest first = new ListRequest(CONTAINER, "", "", new PageStart.Marker(""), 2, false);

        PageStart next = await(backend.listObjects(first)).next().orElseThrow();
        ListPage second = await(backend.listObjects(ListedPages.at(first, next)));

        assertThat(next).isEqualTo(new PageStart.Marker("b"));
        assertThat(ListedPages.keys(second)).containsExactly("c");
        assertThat(server.requests()).hasSize(2);
    }

    @Test
    void objectBeyondTheLimitOfOnePutIsRefused() {
        BackendException failure =
                failureOf(backend.put(object(HeaderList.EMPTY), UploadBody.of(BlobWriter.MAX_BYTES + 1, Flux.never())));

        assertThat(failure.s3Error().map(S3Error::code)).contains("EntityTooLarge");
        assertThat(server.requests()).isEmpty();
    }

    /** Any other 2xx is of something in front of the service, which has written nothing. */
    @ParameterizedTest
    @CsvSource({"200, true", "200, false", "201, false", "204, true", "202, true"})
    void writeIsAcknowledgedByTheServiceAlone(int status, boolean withId) {
        PlannedResponse success = PlannedResponse.of(status).with("etag", "\"0x8D2\"");
        if (withId) {
            server.respond(request -> success);
        } else {
            server.respondWithoutId(request -> success);
        }
        UploadBody body = UploadBody.of(0, Flux.empty());

        assertThat(failureOf(backend.put(object(HeaderList.EMPTY), body)).kind())
                .isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @Test
    void writeWithoutATagIsNotAcknowledged() {
        server.respond(request -> PlannedResponse.of(201));

        BackendException failure = failureOf(backend.put(object(HeaderList.EMPTY), UploadBody.of(0, Flux.empty())));

        assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
        assertThat(failure).hasMessageContaining("without an ETag");
    }

    @Test
    void blobWithoutATagIsRefused() {
        server.respond(request -> PlannedResponse.text(200, "0123456789"));

        assertThat(failureOf(backend.open(ReadRequest.of(BLOB))).kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 204})
    void deletionIsAcknowledgedByItsStatusAlone(int status) {
        server.respond(request -> PlannedResponse.of(status));

        assertThat(failureOf(backend.delete(Deletion.of(BLOB), HeaderList.EMPTY))
                        .kind())
                .isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @Test
    void refusesCompletionWithDiscardedBlocks() {
        server.respond(request -> request.target().contains("comp=blocklist")
                ? PlannedResponse.text(200, "<?xml version=\"1.0\"?><BlockList><UncommittedBlocks/></BlockList>")
                : request.target().contains(".millrace")
                        ? HEAD.with("x-ms-meta-millrace_key", "=a%20key%2F%C3%A4%2Ebin")
                        : HEAD);
        CompletedPart part = new CompletedPart(1, ETag.strong("0jx1mzv4k2a3b-part"), HeaderList.EMPTY);

        BackendException failure = failureOf(complete(part, WriteCondition.ALWAYS));
        BackendException conditional = failureOf(complete(part, new WriteCondition.IfAbsent()));

        assertThat(failure.s3Error().map(S3Error::code)).contains("InvalidPart");
        assertThat(failure).hasMessageContaining("Another write to the key");
        assertThat(conditional.kind()).isEqualTo(FailureKind.PRECONDITION_FAILED);
        assertThat(server.requests()).noneMatch(request -> request.method().equals("PUT"));
    }

    private Mono<WriteResult> complete(CompletedPart part, WriteCondition condition) {
        return backend.completeUpload(UPLOAD, List.of(part), HeaderList.EMPTY, condition);
    }

    /** Pages of which the first, the third and the last have nothing on them. */
    private static PlannedResponse withEmptyPages(RecordedRequest request) {
        if (request.target().contains("marker=two")) {
            return page("three", blob("<Name>a</Name>", ""));
        }
        if (request.target().contains("marker=three")) {
            return page("four");
        }
        if (request.target().contains("marker=four")) {
            return page("five", blob("<Name>b</Name>", ""));
        }
        return page(request.target().contains("marker=five") ? "" : "two");
    }

    private static String blob(String name, String properties) {
        return "<Blob>%s<Properties><Last-Modified>Wed, 01 Dec 2094 16:00:00 GMT</Last-Modified><Etag>0x8D1</Etag>"
                        .formatted(name)
                + "<Content-Length>1</Content-Length>%s</Properties></Blob>".formatted(properties);
    }

    private static PlannedResponse page(String next, String... entries) {
        return PlannedResponse.text(
                200,
                ("<?xml version=\"1.0\"?><EnumerationResults>"
                                + "<Blobs>%s</Blobs><NextMarker>%s</NextMarker></EnumerationResults>")
                        .formatted(String.join("", entries), next));
    }

    private static ReadRequest suffix(int length) {
        return ReadRequest.of(BLOB).withSelection(new ByteSelection.RangeSelection(new RangeSpec.Suffix(length)));
    }

    private static ObjectVersion version() {
        return ObjectVersion.ofETag(Optional.of(ETag.strong("0x8D1")), 10, Optional.empty());
    }

    private static NewObject object(HeaderList headers) {
        return new NewObject(BLOB, headers, WriteCondition.ALWAYS);
    }

    private static CopySource source() {
        return new CopySource(BLOB, Optional.empty(), ReadConditions.NONE);
    }

    private static NewObject target(String key) {
        return new NewObject(
                new ObjectRef(CONTAINER, new ObjectKey(key)), HeaderList.EMPTY, new WriteCondition.IfAbsent());
    }

    private static <T> T await(Mono<T> response) {
        return Objects.requireNonNull(response.block(TIMEOUT));
    }

    private static BackendException failureOf(Mono<?> response) {
        BackendException failure = catchThrowableOfType(BackendException.class, () -> response.block(TIMEOUT));
        assertThat(failure).isNotNull();
        return failure;
    }
}
