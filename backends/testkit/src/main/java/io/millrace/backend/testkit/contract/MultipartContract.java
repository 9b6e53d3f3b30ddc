package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ReferenceChecksum;
import io.millrace.backend.testkit.data.UploadBodies;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** A multipart upload creates an object when it is completed, not before, and none when it is aborted. */
interface MultipartContract extends UploadSupport {
    /** Returns whether a second completion with the same parts, right after the first, gets the same response. */
    boolean repeatsCompletion();

    /**
     * Returns whether an upload survives the completion of another of the same key; otherwise its own completion is
     * refused.
     */
    boolean keepsConcurrentUploads();

    /** Returns whether completions take conditions. */
    boolean supportsConditionalCompletion();

    @Test
    default void partsAreJoinedInNumberOrder() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        HeaderList headers =
                HeaderList.EMPTY.with("content-type", "text/x-parts").with("x-amz-meta-kept", "1");
        List<byte[]> bytes = UploadSupport.cut("parts", 3, 77);
        MultipartUpload upload = createUpload("a/parts", headers);

        StoredPart last = part(upload, 3, bytes.get(2));
        StoredPart first = part(upload, 1, bytes.get(0));
        StoredPart second = part(upload, 2, bytes.get(1));
        assertMissing("a/parts");
        WriteResult written = complete(upload, named(first, second, last));

        assertContent("a/parts", ReferenceChecksum.concatenated(bytes));
        ObjectHead head = head(readRequest(new ObjectKey("a/parts"))).head();
        assertThat(head.eTag()).isEqualTo(written.eTag());
        if (hasMd5Tags()) {
            assertThat(first.eTag().opaque()).isEqualTo(ReferenceChecksum.md5(bytes.get(0)));
            assertThat(head.eTag()).contains(tagOf(bytes));
        }
        assertThat(head.headers().fields()).containsAll(headers.fields());
    }

    @Test
    default void numbersMayHaveGapsAndPartsMayStayUnused() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        List<byte[]> bytes = UploadSupport.cut("gaps", 2, 10);
        MultipartUpload upload = createUpload("gaps");
        part(upload, 1, new byte[] {1});
        StoredPart seventh = part(upload, 7, bytes.get(0));
        StoredPart last = part(upload, 10_000, bytes.get(1));

        complete(upload, named(seventh, last));

        assertContent("gaps", ReferenceChecksum.concatenated(bytes));
    }

    @Test
    default void newerPartReplacesTheOlder() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        MultipartUpload upload = createUpload("replaced");
        StoredPart older = part(upload, 1, new byte[] {1});
        StoredPart newer = part(upload, 1, new byte[] {2, 3});

        WriteSupport.assertS3Error(
                assertCompletionFails(upload, named(older), FailureKind.INVALID_REQUEST), "InvalidPart");
        complete(upload, named(newer));

        assertContent("replaced", new byte[] {2, 3});
    }

    @Test
    default void smallOrEmptySinglePartIsAnObject() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        MultipartUpload small = createUpload("small");
        complete(small, named(part(small, 1, new byte[] {1})));
        MultipartUpload empty = createUpload("empty");
        complete(empty, named(part(empty, 1, new byte[0])));

        assertContent("small", new byte[] {1});
        assertContent("empty", new byte[0]);
    }

    @Test
    default void completionReplacesWhatIsThere() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        put("there", GeneratedBytes.of("there").first(1000));
        MultipartUpload upload = createUpload("there");
        StoredPart part = part(upload, 1, GeneratedBytes.of("new").first(10));
        assertContent("there", GeneratedBytes.of("there").first(1000));

        complete(upload, named(part));

        assertContent("there", GeneratedBytes.of("new").first(10));
    }

    @Test
    default void twoUploadsOfOneKeyAreTwo() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        assumeTrue(keepsConcurrentUploads(), "refuses the second completion");
        MultipartUpload one = createUpload("both");
        MultipartUpload other = createUpload("both");
        StoredPart ofOne = part(one, 1, new byte[] {1});
        StoredPart ofOther = part(other, 1, new byte[] {2});

        complete(other, named(ofOther));
        assertContent("both", new byte[] {2});
        complete(one, named(ofOne));
        assertContent("both", new byte[] {1});
    }

    @Test
    default void refusesCompletionOfAnUploadWithLostParts() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        assumeFalse(keepsConcurrentUploads(), "keeps both");
        MultipartUpload one = createUpload("both");
        MultipartUpload other = createUpload("both");
        StoredPart ofOne = part(one, 1, new byte[] {1});
        StoredPart ofOther = part(other, 1, new byte[] {2});

        complete(other, named(ofOther));

        WriteSupport.assertS3Error(
                assertCompletionFails(one, named(ofOne), FailureKind.INVALID_REQUEST), "InvalidPart");
        assertContent("both", new byte[] {2});
        abort(one);
    }

    @Test
    default void refusesMissingUnorderedOrTooSmallParts() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        MultipartUpload upload = createUpload("refused");
        StoredPart first = part(upload, 1, new byte[] {1});
        StoredPart second = part(upload, 2, new byte[] {2});
        CompletedPart missing = new CompletedPart(3, first.eTag(), HeaderList.EMPTY);
        CompletedPart other = new CompletedPart(1, second.eTag(), HeaderList.EMPTY);

        WriteSupport.assertS3Error(
                assertCompletionFails(upload, List.of(missing), FailureKind.INVALID_REQUEST), "InvalidPart");
        WriteSupport.assertS3Error(
                assertCompletionFails(upload, List.of(other), FailureKind.INVALID_REQUEST), "InvalidPart");
        WriteSupport.assertS3Error(
                assertCompletionFails(upload, named(second, first), FailureKind.INVALID_REQUEST), "InvalidPartOrder");
        WriteSupport.assertS3Error(
                assertCompletionFails(upload, named(first, second), FailureKind.INVALID_REQUEST), "EntityTooSmall");

        assertMissing("refused");
        complete(upload, named(second));
        assertContent("refused", new byte[] {2});
    }

    @Test
    default void abortDeletesTheUpload() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        MultipartUpload upload = createUpload("aborted");
        StoredPart part = part(upload, 1, new byte[] {1});

        abort(upload);

        assertCompletionFails(upload, named(part), FailureKind.NO_SUCH_UPLOAD);
        ContractSupport.assertFailure(
                backend().putPart(upload, 2, HeaderList.EMPTY, UploadBodies.of(new byte[1])),
                FailureKind.NO_SUCH_UPLOAD);
        ContractSupport.assertFailure(backend().listParts(upload, 0, 10), FailureKind.NO_SUCH_UPLOAD);
        assertMissing("aborted");
    }

    @Test
    default void uploadThatNeverWasIsReported() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        MultipartUpload real = createUpload("real");
        for (String id : List.of("nothing", "../../etc", "0123456789abcdef0123456789abcdef")) {
            MultipartUpload upload = new MultipartUpload(ref("real"), id);
            ContractSupport.assertFailure(
                    backend().putPart(upload, 1, HeaderList.EMPTY, UploadBodies.of(new byte[1])),
                    FailureKind.NO_SUCH_UPLOAD);
            ContractSupport.assertFailure(backend().listParts(upload, 0, 10), FailureKind.NO_SUCH_UPLOAD);
            ContractSupport.assertFailure(backend().abortUpload(upload, HeaderList.EMPTY), FailureKind.NO_SUCH_UPLOAD);
            assertCompletionFails(
                    upload,
                    List.of(new CompletedPart(1, ETag.strong("x"), HeaderList.EMPTY)),
                    FailureKind.NO_SUCH_UPLOAD);
        }
        MultipartUpload ofAnotherKey = new MultipartUpload(ref("other"), real.uploadId());
        ContractSupport.assertFailure(backend().listParts(ofAnotherKey, 0, 10), FailureKind.NO_SUCH_UPLOAD);
        abort(real);
    }

    @Test
    default void repeatedCompletionReturnsTheSameResult() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        assumeTrue(repeatsCompletion(), "knows nothing of an upload that has ended");
        MultipartUpload upload = createUpload("again");
        StoredPart part = part(upload, 1, new byte[] {1});
        WriteResult first = complete(upload, named(part));

        WriteResult second = complete(upload, named(part));

        assertThat(second.eTag()).isEqualTo(first.eTag());
        assertContent("again", new byte[] {1});
        assertCompletionFails(
                upload,
                List.of(new CompletedPart(1, ETag.strong("other"), HeaderList.EMPTY)),
                FailureKind.NO_SUCH_UPLOAD);
    }

    @Test
    default void conditionOnTheCompletionDecides() {
        assumeTrue(supports(Capability.MULTIPART) && supports(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(supportsConditionalCompletion(), "completes without conditions only");
        MultipartUpload upload = createUpload("conditional");
        List<CompletedPart> parts = named(part(upload, 1, new byte[] {1}));
        put("conditional", new byte[] {2});

        ContractSupport.assertFailure(
                backend().completeUpload(upload, parts, HeaderList.EMPTY, new WriteCondition.IfAbsent()),
                FailureKind.PRECONDITION_FAILED);
        assertContent("conditional", new byte[] {2});
        delete(ref("conditional"));
        // AWS aborts an upload that lost such a race; a server that keeps it completes it now.
        MultipartUpload another = createUpload("conditional");
        List<CompletedPart> again = named(part(another, 1, new byte[] {3}));
        ContractSupport.await(
                backend().completeUpload(another, again, HeaderList.EMPTY, new WriteCondition.IfAbsent()));
        assertContent("conditional", new byte[] {3});
    }

    @Test
    default void partsAreCopiedOutOfObjects() {
        assumeTrue(supports(Capability.MULTIPART) && supports(Capability.COPY), "does not copy parts");
        byte[] bytes = GeneratedBytes.of("source").first(2 * SMALLEST_PART);
        put("source", bytes);
        MultipartUpload upload = createUpload("copied");
        CopySource source = new CopySource(ref("source"), Optional.empty(), ReadConditions.NONE);
        ByteRange range = new ByteRange(1, SMALLEST_PART);

        StoredPart first =
                ContractSupport.await(backend().copyPart(upload, 1, source, Optional.of(range), HeaderList.EMPTY));
        StoredPart second =
                ContractSupport.await(backend().copyPart(upload, 2, source, Optional.empty(), HeaderList.EMPTY));
        complete(upload, named(first, second));

        byte[] ranged = GeneratedBytes.of("source").slice(1, SMALLEST_PART);
        if (hasMd5Tags()) {
            assertThat(first.eTag().opaque()).isEqualTo(ReferenceChecksum.md5(ranged));
        }
        assertThat(first.lastModified()).isPresent();
        assertContent("copied", ReferenceChecksum.concatenated(List.of(ranged, bytes)));
    }

    @Test
    default void partsOfAWrittenUploadAreReadByNumber() {
        assumeTrue(supports(Capability.MULTIPART) && supports(Capability.PARTS), "knows no parts");
        List<byte[]> bytes = UploadSupport.cut("numbered", 3, 99);
        MultipartUpload upload = createUpload("numbered");
        List<CompletedPart> parts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            parts.add(UploadSupport.named(part(upload, i + 1, bytes.get(i))));
        }

        complete(upload, parts);

        for (int i = 0; i < 3; i++) {
            assertThat(read(readRequest(new ObjectKey("numbered"))
                            .withSelection(new ByteSelection.PartSelection(i + 1))))
                    .isEqualTo(bytes.get(i));
        }
        assertThat(head(readRequest(new ObjectKey("numbered")).withSelection(new ByteSelection.PartSelection(1)))
                        .head()
                        .headers()
                        .first("x-amz-mp-parts-count"))
                .contains("3");
    }

    @Test
    default void partThatFailsLeavesTheUploadAsItWas() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        byte[] bytes = GeneratedBytes.of("failing").first(100_000);
        MultipartUpload upload = createUpload("failing");
        StoredPart good = part(upload, 1, new byte[] {1});

        assertThatThrownBy(() -> backend()
                        .putPart(
                                upload,
                                1,
                                HeaderList.EMPTY,
                                UploadBodies.failing(bytes, 50_000, new IllegalStateException("on purpose")))
                        .block(TIMEOUT))
                .hasMessageContaining("on purpose");

        complete(upload, named(good));
        assertContent("failing", new byte[] {1});
    }

    @Test
    default void partsMayComeInParallel() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        List<byte[]> bytes = UploadSupport.cut("parallel", 8, 1234);
        MultipartUpload upload = createUpload("parallel");

        List<StoredPart> parts = ContractSupport.await(Flux.range(1, 8)
                .flatMapSequential(
                        i -> backend()
                                .putPart(upload, i, HeaderList.EMPTY, UploadBodies.of(bytes.get(i - 1)))
                                .subscribeOn(Schedulers.boundedElastic()),
                        8)
                .collectList());

        complete(upload, parts.stream().map(UploadSupport::named).toList());
        assertContent("parallel", ReferenceChecksum.concatenated(bytes));
    }

    private static List<CompletedPart> named(StoredPart... parts) {
        return List.of(parts).stream().map(UploadSupport::named).toList();
    }

    private static ETag tagOf(List<byte[]> parts) {
        byte[] sums = ReferenceChecksum.concatenated(parts.stream()
                .map(part -> ReferenceChecksum.digest("MD5", part))
                .toList());
        return ETag.strong(ReferenceChecksum.md5(sums) + "-" + parts.size());
    }
}
