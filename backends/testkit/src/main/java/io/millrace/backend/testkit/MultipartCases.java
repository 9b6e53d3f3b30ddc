package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.WriteCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Uploads in parts: an object when they are completed, nothing before, and nothing when they are aborted. */
interface MultipartCases extends UploadCases {
    /** Whether a second completion with the same parts, right after the first, is answered like it. */
    boolean completesTwice();

    /** Whether completions take conditions. */
    boolean completesUnderConditions();

    @Test
    default void partsBecomeAnObjectInTheOrderOfTheirNumbers() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        HeaderList headers =
                HeaderList.EMPTY.with("content-type", "text/x-parts").with("x-amz-meta-kept", "1");
        List<byte[]> bytes = UploadCases.cut("parts", 3, 77);
        Upload upload = begin("a/parts", headers);

        StoredPart last = part(upload, 3, bytes.get(2));
        StoredPart first = part(upload, 1, bytes.get(0));
        StoredPart second = part(upload, 2, bytes.get(1));
        assertMissing("a/parts");
        Written written = complete(upload, named(first, second, last));

        assertThat(first.eTag().opaque()).isEqualTo(StoredObject.md5(bytes.get(0)));
        assertHolds("a/parts", StoredObject.concatenated(bytes));
        ObjectHead head = head(asking(new ObjectKey("a/parts"))).head();
        assertThat(head.eTag()).isEqualTo(written.eTag()).contains(tagOf(bytes));
        assertThat(head.headers().fields()).containsAll(headers.fields());
    }

    @Test
    default void numbersMayHaveGapsAndPartsMayStayUnused() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        List<byte[]> bytes = UploadCases.cut("gaps", 2, 10);
        Upload upload = begin("gaps");
        part(upload, 1, new byte[] {1});
        StoredPart seventh = part(upload, 7, bytes.get(0));
        StoredPart last = part(upload, 10_000, bytes.get(1));

        complete(upload, named(seventh, last));

        assertHolds("gaps", StoredObject.concatenated(bytes));
    }

    @Test
    default void newerPartReplacesTheOlder() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        Upload upload = begin("replaced");
        StoredPart older = part(upload, 1, new byte[] {1});
        StoredPart newer = part(upload, 1, new byte[] {2, 3});

        WriterCases.assertWords(refused(upload, named(older), Kind.INVALID_REQUEST), "InvalidPart");
        complete(upload, named(newer));

        assertHolds("replaced", new byte[] {2, 3});
    }

    @Test
    default void smallOrEmptySinglePartIsAnObject() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        Upload small = begin("small");
        complete(small, named(part(small, 1, new byte[] {1})));
        Upload empty = begin("empty");
        complete(empty, named(part(empty, 1, new byte[0])));

        assertHolds("small", new byte[] {1});
        assertHolds("empty", new byte[0]);
    }

    @Test
    default void completionReplacesWhatIsThere() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        put("there", Bytes.of("there").first(1000));
        Upload upload = begin("there");
        StoredPart part = part(upload, 1, Bytes.of("new").first(10));
        assertHolds("there", Bytes.of("there").first(1000));

        complete(upload, named(part));

        assertHolds("there", Bytes.of("new").first(10));
    }

    @Test
    default void twoUploadsOfOneKeyAreTwo() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        Upload one = begin("both");
        Upload other = begin("both");
        StoredPart ofOne = part(one, 1, new byte[] {1});
        StoredPart ofOther = part(other, 1, new byte[] {2});

        complete(other, named(ofOther));
        assertHolds("both", new byte[] {2});
        complete(one, named(ofOne));
        assertHolds("both", new byte[] {1});
    }

    @Test
    default void partsThatAreMissingOrOutOfOrderOrTooSmallAreToldInS3sWords() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        Upload upload = begin("refused");
        StoredPart first = part(upload, 1, new byte[] {1});
        StoredPart second = part(upload, 2, new byte[] {2});
        NamedPart missing = new NamedPart(3, first.eTag(), HeaderList.EMPTY);
        NamedPart other = new NamedPart(1, second.eTag(), HeaderList.EMPTY);

        WriterCases.assertWords(refused(upload, List.of(missing), Kind.INVALID_REQUEST), "InvalidPart");
        WriterCases.assertWords(refused(upload, List.of(other), Kind.INVALID_REQUEST), "InvalidPart");
        WriterCases.assertWords(refused(upload, named(second, first), Kind.INVALID_REQUEST), "InvalidPartOrder");
        WriterCases.assertWords(refused(upload, named(first, second), Kind.INVALID_REQUEST), "EntityTooSmall");

        assertMissing("refused");
        complete(upload, named(second));
        assertHolds("refused", new byte[] {2});
    }

    @Test
    default void abortedUploadIsGone() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        Upload upload = begin("aborted");
        StoredPart part = part(upload, 1, new byte[] {1});

        abort(upload);

        refused(upload, named(part), Kind.NO_SUCH_UPLOAD);
        ContractCases.failure(
                backend().putPart(upload, 2, HeaderList.EMPTY, Body.of(new byte[1])), Kind.NO_SUCH_UPLOAD);
        ContractCases.failure(backend().listParts(upload, 0, 10), Kind.NO_SUCH_UPLOAD);
        assertMissing("aborted");
    }

    @Test
    default void uploadThatNeverWasIsTold() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        Upload real = begin("real");
        for (String id : List.of("nothing", "../../etc", "0123456789abcdef0123456789abcdef")) {
            Upload upload = new Upload(ref("real"), id);
            ContractCases.failure(
                    backend().putPart(upload, 1, HeaderList.EMPTY, Body.of(new byte[1])), Kind.NO_SUCH_UPLOAD);
            ContractCases.failure(backend().listParts(upload, 0, 10), Kind.NO_SUCH_UPLOAD);
            ContractCases.failure(backend().abortUpload(upload, HeaderList.EMPTY), Kind.NO_SUCH_UPLOAD);
            refused(upload, List.of(new NamedPart(1, ETag.strong("x"), HeaderList.EMPTY)), Kind.NO_SUCH_UPLOAD);
        }
        Upload ofAnotherKey = new Upload(ref("other"), real.uploadId());
        ContractCases.failure(backend().listParts(ofAnotherKey, 0, 10), Kind.NO_SUCH_UPLOAD);
        abort(real);
    }

    @Test
    default void secondCompletionIsAnsweredLikeTheFirst() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        assumeTrue(completesTwice(), "knows nothing of an upload that has ended");
        Upload upload = begin("again");
        StoredPart part = part(upload, 1, new byte[] {1});
        Written first = complete(upload, named(part));

        Written second = complete(upload, named(part));

        assertThat(second.eTag()).isEqualTo(first.eTag());
        assertHolds("again", new byte[] {1});
        refused(upload, List.of(new NamedPart(1, ETag.strong("other"), HeaderList.EMPTY)), Kind.NO_SUCH_UPLOAD);
    }

    @Test
    default void conditionOnTheCompletionDecides() {
        assumeTrue(can(Capability.MULTIPART) && can(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(completesUnderConditions(), "completes without conditions only");
        Upload upload = begin("conditional");
        List<NamedPart> parts = named(part(upload, 1, new byte[] {1}));
        put("conditional", new byte[] {2});

        ContractCases.failure(
                backend().completeUpload(upload, parts, HeaderList.EMPTY, new WriteCondition.Absent()),
                Kind.PRECONDITION_FAILED);
        assertHolds("conditional", new byte[] {2});
        delete(ref("conditional"));
        // AWS gives an upload up that lost such a race; whoever keeps it completes it now.
        Upload another = begin("conditional");
        List<NamedPart> again = named(part(another, 1, new byte[] {3}));
        ContractCases.await(backend().completeUpload(another, again, HeaderList.EMPTY, new WriteCondition.Absent()));
        assertHolds("conditional", new byte[] {3});
    }

    @Test
    default void partsAreCopiedOutOfObjects() {
        assumeTrue(can(Capability.MULTIPART) && can(Capability.COPY), "does not copy parts");
        byte[] bytes = Bytes.of("source").first(2 * SMALLEST_PART);
        put("source", bytes);
        Upload upload = begin("copied");
        CopySource source = new CopySource(ref("source"), Optional.empty(), Conditions.NONE);
        ByteRange range = new ByteRange(1, SMALLEST_PART);

        StoredPart first =
                ContractCases.await(backend().copyPart(upload, 1, source, Optional.of(range), HeaderList.EMPTY));
        StoredPart second =
                ContractCases.await(backend().copyPart(upload, 2, source, Optional.empty(), HeaderList.EMPTY));
        complete(upload, named(first, second));

        byte[] ranged = Bytes.of("source").slice(1, SMALLEST_PART);
        assertThat(first.eTag().opaque()).isEqualTo(StoredObject.md5(ranged));
        assertThat(first.lastModified()).isPresent();
        assertHolds("copied", StoredObject.concatenated(List.of(ranged, bytes)));
    }

    @Test
    default void partsOfAWrittenUploadAreReadByNumber() {
        assumeTrue(can(Capability.MULTIPART) && can(Capability.PARTS), "knows no parts");
        List<byte[]> bytes = UploadCases.cut("numbered", 3, 99);
        Upload upload = begin("numbered");
        List<NamedPart> parts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            parts.add(UploadCases.named(part(upload, i + 1, bytes.get(i))));
        }

        complete(upload, parts);

        for (int i = 0; i < 3; i++) {
            assertThat(read(asking(new ObjectKey("numbered")).select(new Selection.Part(i + 1))))
                    .isEqualTo(bytes.get(i));
        }
        assertThat(head(asking(new ObjectKey("numbered")).select(new Selection.Part(1)))
                        .head()
                        .headers()
                        .first("x-amz-mp-parts-count"))
                .contains("3");
    }

    @Test
    default void partThatFailsLeavesTheUploadAsItWas() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        byte[] bytes = Bytes.of("failing").first(100_000);
        Upload upload = begin("failing");
        StoredPart good = part(upload, 1, new byte[] {1});

        assertThatThrownBy(() -> backend()
                        .putPart(
                                upload,
                                1,
                                HeaderList.EMPTY,
                                Body.failing(bytes, 50_000, new IllegalStateException("on purpose")))
                        .block(PATIENCE))
                .hasMessageContaining("on purpose");

        complete(upload, named(good));
        assertHolds("failing", new byte[] {1});
    }

    @Test
    default void partsMayComeInParallel() {
        assumeTrue(can(Capability.MULTIPART), "takes no multipart uploads");
        List<byte[]> bytes = UploadCases.cut("parallel", 8, 1234);
        Upload upload = begin("parallel");

        List<StoredPart> parts = ContractCases.await(Flux.range(1, 8)
                .flatMapSequential(
                        i -> backend()
                                .putPart(upload, i, HeaderList.EMPTY, Body.of(bytes.get(i - 1)))
                                .subscribeOn(Schedulers.boundedElastic()),
                        8)
                .collectList());

        complete(upload, parts.stream().map(UploadCases::named).toList());
        assertHolds("parallel", StoredObject.concatenated(bytes));
    }

    private static List<NamedPart> named(StoredPart... parts) {
        return List.of(parts).stream().map(UploadCases::named).toList();
    }

    private static ETag tagOf(List<byte[]> parts) {
        byte[] sums = StoredObject.concatenated(
                parts.stream().map(part -> Sums.digest("MD5", part)).toList());
        return ETag.strong(StoredObject.md5(sums) + "-" + parts.size());
    }
}
