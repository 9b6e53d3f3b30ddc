package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.WriteCondition;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checksums of uploads in parts: of the parts' checksums (COMPOSITE) or of the whole (FULL_OBJECT). */
interface UploadSumCases extends UploadCases {
    /** Whether {@code x-amz-mp-object-size} is compared. */
    boolean comparesSizes();

    /** Whether uploads with this algorithm get a checksum of this type. */
    boolean sumsUploads(String algorithm, String type);

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
    default void uploadInPartsHasTheChecksumThatWasAskedFor(String algorithm, String type) {
        assumeTrue(can(Capability.MULTIPART) && can(Capability.CHECKSUMS), "keeps no checksums");
        assumeTrue(sumsUploads(algorithm, type), "computes no such checksum");
        Sums sum = Sums.valueOf(algorithm);
        List<byte[]> bytes = UploadCases.cut("summed", 2, 1001);
        Upload upload = begin("summed", wanting(sum, type));
        List<NamedPart> parts = storedWithSums(upload, sum, bytes);
        String expected = type.equals("COMPOSITE") ? sum.composite(bytes) : sum.of(StoredObject.concatenated(bytes));
        HeaderList given = HeaderList.EMPTY.with(sum.field(), expected).with("x-amz-checksum-type", type);

        Written written = ContractCases.await(backend().completeUpload(upload, parts, given, WriteCondition.ALWAYS));

        assertThat(written.headers().first(sum.field())).contains(expected);
        HeaderList headers =
                head(asking(new ObjectKey("summed")).withChecksums()).head().headers();
        assertThat(headers.first(sum.field())).contains(expected);
        assertThat(headers.first("x-amz-checksum-type")).contains(type);
    }

    @Test
    default void wrongChecksumOfTheWholeIsRefused() {
        assumeTrue(can(Capability.MULTIPART) && can(Capability.CHECKSUMS), "keeps no checksums");
        assumeTrue(sumsUploads("CRC32", "FULL_OBJECT"), "computes no such checksum");
        List<byte[]> bytes = List.of(Bytes.of("wrong").first(1000));
        Upload upload = begin("wrong", wanting(Sums.CRC32, "FULL_OBJECT"));
        List<NamedPart> parts = storedWithSums(upload, Sums.CRC32, bytes);
        HeaderList given = HeaderList.EMPTY
                .with(Sums.CRC32.field(), Sums.CRC32.of(new byte[] {1}))
                .with("x-amz-checksum-type", "FULL_OBJECT");

        BackendException failure = ContractCases.failure(
                backend().completeUpload(upload, parts, given, WriteCondition.ALWAYS), Kind.INVALID_REQUEST);

        WriterCases.assertWords(failure, "BadDigest");
        assertMissing("wrong");
        abort(upload);
    }

    @Test
    default void checksumsOfPartsAreListed() {
        assumeTrue(can(Capability.MULTIPART) && can(Capability.CHECKSUMS), "keeps no checksums");
        assumeTrue(sumsUploads("SHA256", "COMPOSITE"), "computes no such checksum");
        List<byte[]> bytes = List.of(Bytes.of("listed").first(1000));
        Upload upload = begin("listed", wanting(Sums.SHA256, "COMPOSITE"));
        storedWithSums(upload, Sums.SHA256, bytes);

        assertThat(ContractCases.await(backend().listParts(upload, 0, 10))
                        .parts()
                        .get(0)
                        .checksums()
                        .first(Sums.SHA256.field()))
                .contains(Sums.SHA256.of(bytes.get(0)));
        abort(upload);
    }

    @Test
    default void sizeThatTheClientTellsMustBeRight() {
        assumeTrue(can(Capability.MULTIPART) && comparesSizes(), "does not compare sizes");
        Upload upload = begin("sized");
        List<NamedPart> parts = List.of(UploadCases.named(part(upload, 1, new byte[100])));

        ContractCases.failure(
                backend().completeUpload(upload, parts, size(99), WriteCondition.ALWAYS), Kind.INVALID_REQUEST);
        assertMissing("sized");
        ContractCases.await(backend().completeUpload(upload, parts, size(100), WriteCondition.ALWAYS));

        assertHolds("sized", new byte[100]);
    }

    private List<NamedPart> storedWithSums(Upload upload, Sums sum, List<byte[]> bytes) {
        List<NamedPart> parts = new ArrayList<>();
        for (byte[] part : bytes) {
            HeaderList given = HeaderList.EMPTY.with(sum.field(), sum.of(part));
            StoredPart stored = ContractCases.await(backend().putPart(upload, parts.size() + 1, given, Body.of(part)));
            parts.add(new NamedPart(stored.number(), stored.eTag(), given));
        }
        return parts;
    }

    private static HeaderList wanting(Sums sum, String type) {
        return HeaderList.EMPTY.with("x-amz-checksum-algorithm", sum.name()).with("x-amz-checksum-type", type);
    }

    private static HeaderList size(long bytes) {
        return HeaderList.EMPTY.with("x-amz-mp-object-size", Long.toString(bytes));
    }
}
