package io.millrace.backend.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.backend.testkit.data.UploadBodies;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** Cases that only Azure has, over a Blob service. Skipped like the contract. */
@ExtendWith(BufferLeakExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfEnvironmentVariable(
        named = AzureTestAccount.ENDPOINT,
        matches = ".+",
        disabledReason = AzureTestAccount.REASON)
class AzureEndpointTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private Backend backend;
    private BucketName bucket;

    @BeforeAll
    void connect() {
        backend = AzureTestAccount.ofEnvironment().backend();
    }

    @AfterAll
    void disconnect() {
        backend.close().block(TIMEOUT);
    }

    @BeforeEach
    void createContainer() {
        bucket = new BucketName("millrace-" + UUID.randomUUID());
        backend.createBucket(NewBucket.of(bucket)).block(TIMEOUT);
    }

    @AfterEach
    void deleteContainer() {
        ListedPages.readAll(backend, ListedPages.request(bucket, "", "", ListRequest.MAX_KEYS))
                .keys()
                .forEach(key -> await(backend.delete(Deletion.of(ref(key)), HeaderList.EMPTY)));
        backend.deleteBucket(bucket).block(TIMEOUT);
    }

    @Test
    void wrongKeyIsRejectedAndNotLogged() {
        AzureTestAccount account = AzureTestAccount.ofEnvironment();
        Backend other = new AzureTestAccount(
                        account.name(), Optional.of("d3Jvbmc="), Optional.empty(), account.endpoint())
                .backend();

        BackendException failure = failureOf(other.listBuckets());

        // The emulator's code is that of a missing permission; Azure's is AuthenticationFailed.
        assertThat(failure.kind()).isIn(FailureKind.CREDENTIALS_REJECTED, FailureKind.ACCESS_DENIED);
        assertThat(failure).hasMessageContaining("403").hasMessageNotContaining("d3Jvbmc");
        other.close().block(TIMEOUT);
    }

    @Test
    void uploadRecordIsHiddenAndAllowsBucketDeletion() {
        MultipartUpload upload = create("visible");

        assertThat(keys("", "")).isEmpty();
        assertThat(ListedPages.page(backend, ListedPages.request(bucket, "", "/", 10))
                        .prefixes())
                .isEmpty();
        assertThat(keys(".millrace/", "")).isEmpty();
        ObjectRef record = ref(".millrace/uploads/" + upload.uploadId());
        assertThat(failureOf(backend.head(ReadRequest.of(record))).kind()).isEqualTo(FailureKind.NO_SUCH_KEY);
        // The container is deleted after the test, though the record is there.
    }

    /** Azure discards the parts, the emulator keeps them. */
    @Test
    void writeNeverMixesWithUploadedParts() {
        MultipartUpload upload = create("contended");
        StoredPart part = part(upload, 1, new byte[] {1});
        put("contended", HeaderList.EMPTY, new byte[] {2, 2});

        Optional<WriteResult> completed = complete(upload, part)
                .onErrorResume(BackendException.class, failure -> Mono.empty())
                .blockOptional(TIMEOUT);

        assertThat(read("contended")).isEqualTo(completed.isPresent() ? new byte[] {1} : new byte[] {2, 2});
    }

    @Test
    void abortedUploadCannotBeCompletedOrListed() {
        MultipartUpload upload = create("aborted");
        StoredPart part = part(upload, 1, new byte[] {1});

        abort(upload);

        assertThat(failureOf(complete(upload, part)).kind()).isEqualTo(FailureKind.NO_SUCH_UPLOAD);
        assertThat(failureOf(backend.head(ReadRequest.of(ref("aborted")))).kind())
                .isEqualTo(FailureKind.NO_SUCH_KEY);
        assertThat(keys("", "")).isEmpty();
    }

    @Test
    void repeatedCompletionAfterALostResponseSucceeds() {
        MultipartUpload upload = create("again");
        StoredPart part = part(upload, 1, new byte[] {1});
        WriteResult first = await(complete(upload, part));

        assertThat(await(complete(upload, part)).eTag()).isEqualTo(first.eTag());
        put("again", HeaderList.EMPTY, new byte[] {2});
        assertThat(failureOf(complete(upload, part)).kind()).isEqualTo(FailureKind.NO_SUCH_UPLOAD);
    }

    @Test
    void completedObjectHasNoMetadataOfMillrace() {
        MultipartUpload upload = create("clean");
        await(complete(upload, part(upload, 1, new byte[] {1})));

        assertThat(head("clean").fields())
                .extracting(HeaderList.HeaderField::name)
                .noneMatch(name -> name.contains("millrace"));
        assertThat(head("clean").first("x-amz-meta-owner")).contains("me");
    }

    @Test
    void wrongContentMd5IsRefused() {
        HeaderList headers = HeaderList.EMPTY.with("content-md5", "AAAAAAAAAAAAAAAAAAAAAA==");

        BackendException failure = failureOf(backend.put(
                new NewObject(ref("wrong"), headers, WriteCondition.ALWAYS), UploadBodies.of(new byte[] {1})));

        assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_REQUEST);
        assertThat(keys("", "")).isEmpty();
    }

    @Test
    void checksumOfTheHeadersSurvivesCopies() {
        HeaderList summed = HeaderList.EMPTY.with("x-amz-checksum-crc32", "2H9+DA==");
        NewObject object = new NewObject(ref("summed"), summed, WriteCondition.ALWAYS);
        CopySource source = new CopySource(ref("summed"), Optional.empty(), ReadConditions.NONE);
        HeaderList replaced = HeaderList.EMPTY.with("x-amz-metadata-directive", "REPLACE");

        WriteResult written = await(backend.put(object, UploadBodies.of("test".getBytes(StandardCharsets.UTF_8))));
        await(backend.copy(source, new NewObject(ref("kept"), HeaderList.EMPTY, WriteCondition.ALWAYS)));
        await(backend.copy(source, new NewObject(ref("changed"), replaced, WriteCondition.ALWAYS)));

        assertThat(written.headers().first("x-amz-checksum-crc32")).contains("2H9+DA==");
        for (String key : List.of("summed", "kept", "changed")) {
            HeaderList headers = await(backend.head(ReadRequest.of(ref(key)).withChecksums()))
                    .head()
                    .headers();
            assertThat(headers.first("x-amz-checksum-crc32")).contains("2H9+DA==");
            assertThat(headers.first("x-amz-checksum-type")).contains("FULL_OBJECT");
            assertThat(head(key).first("x-amz-checksum-crc32")).isEmpty();
        }
    }

    @Test
    void metadataOfEveryNameAndValueComesBack() {
        String utf8 = new String("gr\u00fcn \u20ac".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        HeaderList headers = HeaderList.EMPTY
                .with("x-amz-meta-plain", "v")
                .with("x-amz-meta-my-key", "v")
                .with("x-amz-meta-my_key", "w")
                .with("x-amz-meta-7up", "v")
                .with("x-amz-meta-a.b~c", "v")
                .with("x-amz-meta-colour", utf8)
                .with("x-amz-meta-empty", "")
                .with("x-amz-website-redirect-location", "/else");

        put("described", headers, new byte[] {1});

        assertThat(head("described").fields()).containsAll(headers.fields());
    }

    @Test
    void copyKeepsMetadataAndStreamsWhereHeadersChange() {
        put("source", HeaderList.EMPTY.with("x-amz-meta-my-key", "v").with("expires", "0"), new byte[] {1, 2});
        CopySource source = new CopySource(ref("source"), Optional.empty(), ReadConditions.NONE);
        HeaderList replaced =
                HeaderList.EMPTY.with("x-amz-metadata-directive", "REPLACE").with("x-amz-meta-new", "n");

        await(backend.copy(source, new NewObject(ref("kept"), HeaderList.EMPTY, WriteCondition.ALWAYS)));
        await(backend.copy(source, new NewObject(ref("changed"), replaced, WriteCondition.ALWAYS)));

        assertThat(head("kept").first("x-amz-meta-my-key")).contains("v");
        assertThat(head("kept").first("expires")).contains("0");
        assertThat(head("changed").first("x-amz-meta-my-key")).isEmpty();
        assertThat(head("changed").first("x-amz-meta-new")).contains("n");
        assertThat(read("changed")).containsExactly(1, 2);
    }

    @Test
    void startAfterShowsAPrefixThatHoldsLaterKeys() {
        List.of("a/1", "a/2", "b", "c--1", "c--2").forEach(key -> put(key, HeaderList.EMPTY, new byte[] {1}));

        assertThat(startAfter("a/1", "/")).containsExactly("a/");
        assertThat(startAfter("a/2", "/")).isEmpty();
        assertThat(startAfter("c--1", "--")).containsExactly("c--");
        assertThat(startAfter("c--2", "--")).isEmpty();
    }

    @Test
    void uploadsOfManyPartsAreCompletedInOrder() {
        MultipartUpload upload = create("parts");
        StoredPart last = part(upload, 10_000, new byte[] {3});
        StoredPart first = part(upload, 1, new byte[5 << 20]);

        await(backend.completeUpload(
                upload, List.of(named(first), named(last)), HeaderList.EMPTY, WriteCondition.ALWAYS));

        byte[] bytes = read("parts");
        assertThat(bytes).hasSize((5 << 20) + 1);
        assertThat(bytes[5 << 20]).isEqualTo((byte) 3);
    }

    private List<String> startAfter(String text, String delimiter) {
        ListRequest request = new ListRequest(bucket, "", delimiter, new PageStart.StartAfter(text), 10, false);
        return await(backend.listObjects(request)).prefixes();
    }

    private List<String> keys(String prefix, String delimiter) {
        return ListedPages.keys(
                ListedPages.page(backend, ListedPages.request(bucket, prefix, delimiter, ListRequest.MAX_KEYS)));
    }

    private MultipartUpload create(String key) {
        HeaderList headers = HeaderList.EMPTY.with("x-amz-meta-owner", "me");
        return await(backend.createUpload(new NewObject(ref(key), headers, WriteCondition.ALWAYS)))
                .upload();
    }

    private StoredPart part(MultipartUpload upload, int number, byte[] bytes) {
        return await(backend.putPart(upload, number, HeaderList.EMPTY, UploadBodies.of(bytes)));
    }

    private Mono<WriteResult> complete(MultipartUpload upload, StoredPart part) {
        return backend.completeUpload(upload, List.of(named(part)), HeaderList.EMPTY, WriteCondition.ALWAYS);
    }

    private static CompletedPart named(StoredPart part) {
        return new CompletedPart(part.number(), part.eTag(), HeaderList.EMPTY);
    }

    private void abort(MultipartUpload upload) {
        backend.abortUpload(upload, HeaderList.EMPTY).block(TIMEOUT);
    }

    private void put(String key, HeaderList headers, byte[] bytes) {
        await(backend.put(new NewObject(ref(key), headers, WriteCondition.ALWAYS), UploadBodies.of(bytes)));
    }

    private HeaderList head(String key) {
        return await(backend.head(ReadRequest.of(ref(key)))).head().headers();
    }

    private byte[] read(String key) {
        ObjectContent content = await(backend.open(ReadRequest.of(ref(key))));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        content.body()
                .doOnNext(piece -> bytes.writeBytes(UploadBodies.takeBytes(piece)))
                .then()
                .block(TIMEOUT);
        return bytes.toByteArray();
    }

    private ObjectRef ref(String key) {
        return new ObjectRef(bucket, new ObjectKey(key));
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
