package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BucketManager.BucketTag;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A header of a write is honoured, or the write is rejected with the header's name: requested encryption is never
 * dropped in silence.
 */
class WriteHeadersTest {
    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            x-amz-server-side-encryption | AES256
            x-amz-server-side-encryption-customer-key | c2VjcmV0
            x-amz-object-lock-mode | GOVERNANCE
            x-amz-tagging | a=b
            x-amz-tagging-directive | REPLACE
            x-amz-storage-class | GLACIER
            x-amz-acl | public-read
            x-amz-grant-read | id=1
            x-amz-checksum-xxhash64 | x
            x-amz-write-offset-bytes | 5
            x-unheard-of | 1
            """)
    void refusesWriteAndNamesTheUnsupportedField(String name, String value) {
        boolean[] touched = {false};
        HeaderList headers = HeaderList.EMPTY.with("content-type", "text/plain").with(name, value);
        NewObject object = new NewObject(FileBackendFixture.ref("refused"), headers, WriteCondition.ALWAYS);

        BackendException failure = catchThrowableOfType(
                BackendException.class,
                () -> tree.backend()
                        .put(object, FileUploadBodies.of(0, Flux.defer(() -> {
                            touched[0] = true;
                            return Flux.empty();
                        })))
                        .block());

        assertThat(failure.kind()).isEqualTo(FailureKind.UNSUPPORTED);
        assertThat(failure).hasMessageContaining(name).hasMessageNotContaining("c2VjcmV0");
        assertThat(failure.s3Error().map(BackendException.S3Error::message).orElseThrow())
                .as("what the client is told")
                .contains(name)
                .endsWith("is not supported by backend type file.");
        assertThat(touched[0]).as("the body was touched").isFalse();
        assertThat(tree.failure("refused")).contains(FailureKind.NO_SUCH_KEY);
        assertThat(catchThrowableOfType(
                                BackendException.class,
                                () -> tree.backend().createUpload(object).block())
                        .kind())
                .isEqualTo(FailureKind.UNSUPPORTED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            x-amz-storage-class | STANDARD
            x-amz-acl | private
            x-amz-acl | bucket-owner-full-control
            x-amz-tagging-directive | COPY
            x-amz-sdk-checksum-algorithm | CRC32
            content-md5 | 1B2M2Y8AsgTpgAmY7PhCfg==
            """)
    void acceptsDefaultValuesWithoutStoringThem(String name, String value) {
        tree.write("plain", "", HeaderList.EMPTY.with(name, value));

        assertThat(tree.head("plain").headers())
                .isEqualTo(HeaderList.EMPTY.with("content-type", "binary/octet-stream"));
    }

    @Test
    void conditionsThatFilesCannotKeepAreRefused() {
        tree.write("kept", "x", HeaderList.EMPTY);
        HeaderList size = HeaderList.EMPTY.with("x-amz-if-match-size", "1");

        for (Mono<?> refused : List.of(
                tree.backend().delete(Deletion.of(FileBackendFixture.ref("kept")), size),
                tree.backend()
                        .delete(
                                new Deletion(
                                        FileBackendFixture.ref("kept"), Optional.empty(), WriteCondition.ALWAYS, size),
                                HeaderList.EMPTY),
                tree.backend()
                        .createBucket(new NewBucket(
                                new BucketName("tagged"), HeaderList.EMPTY, List.of(new BucketTag("a", "b")))))) {
            assertThat(catchThrowableOfType(BackendException.class, refused::block)
                            .kind())
                    .isEqualTo(FailureKind.UNSUPPORTED);
        }

        assertThat(tree.head("kept").size()).isEqualTo(1);
        assertThat(tree.root().resolve("tagged")).doesNotExist();
    }

    @Test
    void storesRedirectButDoesNotCopyIt() {
        HeaderList redirect = HeaderList.EMPTY.with("x-amz-website-redirect-location", "/elsewhere");
        tree.write("from", "x", redirect);

        assertThat(tree.head("from").headers().fields()).containsAll(redirect.fields());
        tree.copy("from", FileBackendFixture.target("to"));
        assertThat(tree.head("to").headers().first("x-amz-website-redirect-location"))
                .isEmpty();
    }

    @Test
    void checksumIsTypedAndListed() {
        tree.write("summed", "hello", HeaderList.EMPTY.with("x-amz-checksum-crc32", "NhCmhg=="));

        HeaderList reported = tree.headersWithChecksums("summed");
        assertThat(reported.first("x-amz-checksum-crc32")).contains("NhCmhg==");
        assertThat(reported.first("x-amz-checksum-type")).contains("FULL_OBJECT");
        assertThat(tree.list("", "").objects().get(0).checksums().algorithms()).containsExactly("CRC32");
    }

    @Test
    void copyComputesTheChecksumThatIsRequested() {
        tree.write("source", "A".repeat(1024), HeaderList.EMPTY);
        HeaderList requested = HeaderList.EMPTY.with("x-amz-checksum-algorithm", "CRC64NVME");

        tree.copy("source", new NewObject(FileBackendFixture.ref("copy"), requested, WriteCondition.ALWAYS));

        assertThat(tree.headersWithChecksums("copy").first("x-amz-checksum-crc64nvme"))
                .contains("Qeh8oXvGiSo=");
        assertThat(tree.head("copy").eTag()).isEqualTo(tree.head("source").eTag());
    }

    @Test
    void copyOfAHandMadeFileGetsItsMd5() throws IOException {
        tree.put("by-hand", "hello");

        tree.copy("by-hand", FileBackendFixture.target("copy"));

        assertThat(tree.head("copy").eTag().orElseThrow().opaque()).isEqualTo("5d41402abc4b2a76b9719d911017c592");
    }
}
