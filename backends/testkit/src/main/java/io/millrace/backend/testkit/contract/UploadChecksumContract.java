package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ReferenceChecksum;
import io.millrace.backend.testkit.data.UploadBodies;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Multipart uploads have checksums of the parts' checksums (COMPOSITE) or of the whole object (FULL_OBJECT). */
interface UploadChecksumContract extends UploadSupport {
    /** Returns whether {@code x-amz-mp-object-size} is verified. */
    boolean verifiesObjectSize();

    /** Returns whether uploads with this algorithm get a checksum of this type. */
    boolean supportsUploadChecksum(String algorithm, String type);

    @ParameterizedTest
    @CsvSource(textBlock = """
            CRC32,     COMPOSITE
            CRC32C,    COMPOSITE
            SHA1,      COMPOSITE
            SHA256,    COMPOSITE
            CRC32,     FULL_OBJECT
            CRC32C,    FULL_OBJECT
            CRC64NVME, FULL_OBJECT
            """)
    default void uploadInPartsHasTheChecksumThatWasRequested(String algorithm, String type) {
        assumeTrue(supports(Capability.MULTIPART) && supports(Capability.CHECKSUMS), "keeps no checksums");
        assumeTrue(supportsUploadChecksum(algorithm, type), "computes no such checksum");
        ReferenceChecksum sum = ReferenceChecksum.valueOf(algorithm);
        List<byte[]> bytes = UploadSupport.cut("summed", 2, 1001);
        MultipartUpload upload = createUpload("summed", wanting(sum, type));
        List<CompletedPart> parts = storedWithSums(upload, sum, bytes);
        String expected =
                type.equals("COMPOSITE") ? sum.composite(bytes) : sum.compute(ReferenceChecksum.concatenated(bytes));
        HeaderList given = HeaderList.EMPTY.with(sum.headerName(), expected).with("x-amz-checksum-type", type);

        WriteResult written =
                ContractSupport.await(backend().completeUpload(upload, parts, given, WriteCondition.ALWAYS));

        assertThat(written.headers().first(sum.headerName())).contains(expected);
        HeaderList headers = head(readRequest(new ObjectKey("summed")).withChecksums())
                .head()
                .headers();
        assertThat(headers.first(sum.headerName())).contains(expected);
        assertThat(headers.first("x-amz-checksum-type")).contains(type);
    }

    @Test
    default void wrongChecksumOfTheWholeIsRefused() {
        assumeTrue(supports(Capability.MULTIPART) && supports(Capability.CHECKSUMS), "keeps no checksums");
        assumeTrue(supportsUploadChecksum("CRC32", "FULL_OBJECT"), "computes no such checksum");
        List<byte[]> bytes = List.of(GeneratedBytes.of("wrong").first(1000));
        MultipartUpload upload = createUpload("wrong", wanting(ReferenceChecksum.CRC32, "FULL_OBJECT"));
        List<CompletedPart> parts = storedWithSums(upload, ReferenceChecksum.CRC32, bytes);
        HeaderList given = HeaderList.EMPTY
                .with(ReferenceChecksum.CRC32.headerName(), ReferenceChecksum.CRC32.compute(new byte[] {1}))
                .with("x-amz-checksum-type", "FULL_OBJECT");

        BackendException failure = ContractSupport.assertFailure(
                backend().completeUpload(upload, parts, given, WriteCondition.ALWAYS), FailureKind.INVALID_REQUEST);

        WriteSupport.assertS3Error(failure, "BadDigest");
        assertMissing("wrong");
        abort(upload);
    }

    @Test
    default void checksumsOfPartsAreListed() {
        assumeTrue(supports(Capability.MULTIPART) && supports(Capability.CHECKSUMS), "keeps no checksums");
        assumeTrue(supportsUploadChecksum("SHA256", "COMPOSITE"), "computes no such checksum");
        List<byte[]> bytes = List.of(GeneratedBytes.of("listed").first(1000));
        MultipartUpload upload = createUpload("listed", wanting(ReferenceChecksum.SHA256, "COMPOSITE"));
        storedWithSums(upload, ReferenceChecksum.SHA256, bytes);

        assertThat(ContractSupport.await(backend().listParts(upload, 0, 10))
                        .parts()
                        .get(0)
                        .checksums()
                        .first(ReferenceChecksum.SHA256.headerName()))
                .contains(ReferenceChecksum.SHA256.compute(bytes.get(0)));
        abort(upload);
    }

    @Test
    default void sizeThatTheClientReportsMustBeRight() {
        assumeTrue(supports(Capability.MULTIPART) && verifiesObjectSize(), "does not compare sizes");
        MultipartUpload upload = createUpload("sized");
        List<CompletedPart> parts = List.of(UploadSupport.named(part(upload, 1, new byte[100])));

        ContractSupport.assertFailure(
                backend().completeUpload(upload, parts, size(99), WriteCondition.ALWAYS), FailureKind.INVALID_REQUEST);
        assertMissing("sized");
        ContractSupport.await(backend().completeUpload(upload, parts, size(100), WriteCondition.ALWAYS));

        assertContent("sized", new byte[100]);
    }

    private List<CompletedPart> storedWithSums(MultipartUpload upload, ReferenceChecksum sum, List<byte[]> bytes) {
        List<CompletedPart> parts = new ArrayList<>();
        for (byte[] part : bytes) {
            HeaderList given = HeaderList.EMPTY.with(sum.headerName(), sum.compute(part));
            StoredPart stored =
                    ContractSupport.await(backend().putPart(upload, parts.size() + 1, given, UploadBodies.of(part)));
            parts.add(new CompletedPart(stored.number(), stored.eTag(), given));
        }
        return parts;
    }

    private static HeaderList wanting(ReferenceChecksum sum, String type) {
        return HeaderList.EMPTY.with("x-amz-checksum-algorithm", sum.name()).with("x-amz-checksum-type", type);
    }

    private static HeaderList size(long bytes) {
        return HeaderList.EMPTY.with("x-amz-mp-object-size", Long.toString(bytes));
    }
}
