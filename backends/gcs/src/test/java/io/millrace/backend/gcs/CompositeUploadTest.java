package io.millrace.backend.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ReferenceChecksum;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.backend.testkit.server.RecordedRequest;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/** Uploads in parts are temporary objects that clients never see, and a completion composes them in one step. */
class CompositeUploadTest {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final int PART = 5 << 20;

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
    void composesManyPartsInATree() {
        int count = 34;
        MultipartUpload upload = create("large", HeaderList.EMPTY);
        List<CompletedPart> parts = new ArrayList<>();
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        for (int i = 1; i <= count; i++) {
            byte[] bytes = new GeneratedBytes("large", i).first(i == count ? 17 : PART);
            whole.writeBytes(bytes);
            parts.add(put(upload, i, bytes));
        }
        server.clearCalls();

        WriteResult written = complete(upload, parts, WriteCondition.ALWAYS);

        assertThat(composes()).hasSize(3).allMatch(call -> sources(call) <= 32);
        assertThat(written.eTag().orElseThrow().opaque()).endsWith("-34");
        assertThat(read("large")).isEqualTo(whole.toByteArray());
        assertThat(server.storage().names("bucket")).containsExactly("large");
    }

    @Test
    void partsAreHiddenFromListsReadsAndWrites() {
        List.of(".millrace-", ".millrace-zzz", "a").forEach(this::putObject);
        MultipartUpload upload = create("key", HeaderList.EMPTY);
        put(upload, 1, new byte[] {1});
        String hidden = server.storage().names("bucket").stream()
                .filter(name -> name.startsWith(".millrace-uploads/p/"))
                .findFirst()
                .orElseThrow();

        assertThat(keys(list("", ""))).containsExactly(".millrace-", ".millrace-zzz", "a");
        assertThat(keys(list(".millrace-uploads/", ""))).isEmpty();
        assertThat(list("", "/").prefixes()).isEmpty();
        assertThat(list("", "-").prefixes()).containsExactly(".millrace-");
        assertThat(failure(backend.head(ReadRequest.of(ref(hidden)))).kind()).isEqualTo(FailureKind.NO_SUCH_KEY);
        assertThat(failure(backend.open(ReadRequest.of(ref(hidden)))).kind()).isEqualTo(FailureKind.NO_SUCH_KEY);
        assertThat(failure(backend.put(target(hidden), UploadBodies.of(new byte[1])))
                        .kind())
                .isEqualTo(FailureKind.INVALID_REQUEST);
        backend.delete(Deletion.of(ref(hidden)), HeaderList.EMPTY).block();
        assertThat(server.storage().names("bucket")).contains(hidden);
    }

    @Test
    void prefixThatOnlyUploadsMakeIsNotListed() {
        putObject("a");
        create("key", HeaderList.EMPTY);

        assertThat(list("", "-").prefixes()).isEmpty();
        assertThat(list("", "m").prefixes()).isEmpty();
        assertThat(keys(list("", "m"))).containsExactly("a");
    }

    @Test
    void pageFullOfPartsIsSkipped() {
        List.of(".a", "b").forEach(this::putObject);
        MultipartUpload upload = create("key", HeaderList.EMPTY);
        for (int i = 1; i <= 20; i++) {
            put(upload, i, new byte[] {1});
        }
        List<String> found = new ArrayList<>();
        PageStart start = new PageStart.FirstKey();
        for (int pages = 0; pages < 10; pages++) {
            ListPage page = Objects.requireNonNull(backend.listObjects(new ListRequest(BUCKET, "", "", start, 2, false))
                    .block());
            found.addAll(keys(page));
            if (page.next().isEmpty()) {
                break;
            }
            start = page.next().get();
        }

        assertThat(found).containsExactly(".a", "b");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void uploadThatEndsLeavesNothing(boolean completes) {
        HeaderList wanted = HeaderList.EMPTY.with("x-amz-checksum-algorithm", "CRC32");
        MultipartUpload upload = create("key", wanted);
        CompletedPart part = put(upload, 1, new byte[] {1});
        assertThat(server.storage().names("bucket")).hasSize(3);

        if (completes) {
            complete(upload, List.of(part), WriteCondition.ALWAYS);
        } else {
            backend.abortUpload(upload, HeaderList.EMPTY).block();
        }

        assertThat(server.storage().names("bucket")).isEqualTo(completes ? List.of("key") : List.of());
    }

    @Test
    void completionConditionAppliesToTheLastComposition() {
        MultipartUpload upload = create("key", HeaderList.EMPTY);
        CompletedPart part = put(upload, 1, new byte[] {1});
        server.beforehand(call -> {
            if (call.path().endsWith("/compose")) {
                server.storage()
                        .put(
                                "bucket",
                                "key",
                                new byte[] {9},
                                JsonMapper.shared().createObjectNode());
            }
        });

        BackendException lost =
                failure(backend.completeUpload(upload, List.of(part), HeaderList.EMPTY, new WriteCondition.IfAbsent()));

        assertThat(lost.kind()).isEqualTo(FailureKind.PRECONDITION_FAILED);
        assertThat(read("key")).containsExactly(9);
    }

    @Test
    void completionWithLostResponseIsRecognized() {
        MultipartUpload upload = create("key", HeaderList.EMPTY);
        CompletedPart part = put(upload, 1, new byte[] {1});
        AtomicBoolean lost = new AtomicBoolean();
        server.change((call, response) -> call.path().endsWith("/compose") && lost.compareAndSet(false, true)
                ? GcsResponses.error(503, "backendError", "gone")
                : response);
        assertThat(failure(backend.completeUpload(
                                upload, List.of(part), HeaderList.EMPTY, new WriteCondition.IfAbsent()))
                        .kind())
                .isEqualTo(FailureKind.UNAVAILABLE);

        WriteResult repeated = complete(upload, List.of(part), new WriteCondition.IfAbsent());

        assertThat(repeated.eTag().orElseThrow().opaque()).endsWith("-1");
        assertThat(read("key")).containsExactly(1);
    }

    @Test
    void partThatIsReplacedDuringTheCompletionFailsIt() {
        MultipartUpload upload = create("key", HeaderList.EMPTY);
        CompletedPart part = put(upload, 1, new byte[] {1});
        server.beforehand(call -> {
            if (call.path().endsWith("/compose")) {
                String name = server.storage().names("bucket").stream()
                        .filter(key -> key.endsWith("/00001"))
                        .findFirst()
                        .orElseThrow();
                server.storage()
                        .put("bucket", name, new byte[] {2}, JsonMapper.shared().createObjectNode());
            }
        });

        assertThat(catchThrowableOfType(
                        BackendException.class, () -> complete(upload, List.of(part), WriteCondition.ALWAYS)))
                .isNotNull();
        assertThat(server.storage().find("bucket", "key")).isEmpty();
    }

    @Test
    void storesTrailingChecksumOfAPart() {
        byte[] bytes = GeneratedBytes.of("trailed").first(1000);
        HeaderList wanted =
                HeaderList.EMPTY.with("x-amz-checksum-algorithm", "CRC32").with("x-amz-checksum-type", "FULL_OBJECT");
        MultipartUpload upload = create("key", wanted);
        String sum = ReferenceChecksum.CRC32.compute(bytes);

        StoredPart part = Objects.requireNonNull(backend.putPart(
                        upload,
                        1,
                        HeaderList.EMPTY,
                        UploadBodies.withTrailer(bytes, ReferenceChecksum.CRC32.headerName(), sum))
                .block());
        WriteResult written =
                complete(upload, List.of(new CompletedPart(1, part.eTag(), HeaderList.EMPTY)), WriteCondition.ALWAYS);

        assertThat(part.headers().first(ReferenceChecksum.CRC32.headerName())).contains(sum);
        assertThat(written.headers().first(ReferenceChecksum.CRC32.headerName()))
                .contains(sum);
    }

    @Test
    void ignoresETagAndChecksumsOfOtherBytes() {
        MultipartUpload upload = create("key", HeaderList.EMPTY);
        complete(upload, List.of(put(upload, 1, new byte[] {1})), WriteCondition.ALWAYS);
        StoredObject completed = server.storage().find("bucket", "key").orElseThrow();

        server.storage().put("bucket", "other", new byte[] {2}, completed.fields());

        assertThat(Objects.requireNonNull(
                                backend.head(ReadRequest.of(ref("other"))).block())
                        .head()
                        .eTag()
                        .orElseThrow()
                        .opaque())
                .isEqualTo(ReferenceChecksum.md5(new byte[] {2}));
    }

    @Test
    void bucketWithNothingButUploadsIsDeleted() {
        MultipartUpload upload = create("key", HeaderList.EMPTY);
        put(upload, 1, new byte[] {1});

        backend.deleteBucket(BUCKET).block();

        assertThat(failure(backend.headBucket(BUCKET)).kind()).isEqualTo(FailureKind.NO_SUCH_BUCKET);
    }

    private List<RecordedRequest> composes() {
        return server.calls().stream()
                .filter(call -> call.path().endsWith("/compose"))
                .toList();
    }

    private static int sources(RecordedRequest call) {
        return JsonMapper.shared().readTree(call.body()).path("sourceObjects").size();
    }

    private MultipartUpload create(String key, HeaderList headers) {
        return Objects.requireNonNull(backend.createUpload(new NewObject(ref(key), headers, WriteCondition.ALWAYS))
                        .block())
                .upload();
    }

    private CompletedPart put(MultipartUpload upload, int number, byte[] bytes) {
        StoredPart part =
                Objects.requireNonNull(backend.putPart(upload, number, HeaderList.EMPTY, UploadBodies.of(bytes))
                        .block());
        return new CompletedPart(number, part.eTag(), HeaderList.EMPTY);
    }

    private WriteResult complete(MultipartUpload upload, List<CompletedPart> parts, WriteCondition condition) {
        return Objects.requireNonNull(backend.completeUpload(upload, parts, HeaderList.EMPTY, condition)
                .block());
    }

    private void putObject(String key) {
        backend.put(target(key), UploadBodies.of(new byte[] {1})).block();
    }

    private static NewObject target(String key) {
        return new NewObject(ref(key), HeaderList.EMPTY, WriteCondition.ALWAYS);
    }

    private ListPage list(String prefix, String delimiter) {
        return Objects.requireNonNull(
                backend.listObjects(new ListRequest(BUCKET, prefix, delimiter, new PageStart.FirstKey(), 1000, false))
                        .block());
    }

    private static List<String> keys(ListPage page) {
        return page.objects().stream().map(object -> object.key().value()).toList();
    }

    private byte[] read(String key) {
        ObjectContent content =
                Objects.requireNonNull(backend.open(ReadRequest.of(ref(key))).block());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        content.body()
                .doOnNext(piece -> bytes.writeBytes(UploadBodies.takeBytes(piece)))
                .then()
                .block();
        return bytes.toByteArray();
    }

    private static ObjectRef ref(String key) {
        return new ObjectRef(BUCKET, new ObjectKey(key));
    }

    private static BackendException failure(Mono<?> call) {
        return Objects.requireNonNull(
                catchThrowableOfType(BackendException.class, call::block), "a failure was expected");
    }
}
