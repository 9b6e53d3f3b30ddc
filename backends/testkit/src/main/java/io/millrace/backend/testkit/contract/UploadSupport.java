package io.millrace.backend.testkit.contract;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.UploadBodies;
import java.util.List;
import java.util.stream.IntStream;

/** Short methods to upload in parts. */
interface UploadSupport extends WriteSupport {
    /** S3's smallest part but the last. */
    int SMALLEST_PART = 5 << 20;

    default MultipartUpload createUpload(String key, HeaderList headers) {
        return ContractSupport.await(backend().createUpload(target(key, headers, WriteCondition.ALWAYS)))
                .upload();
    }

    default MultipartUpload createUpload(String key) {
        return createUpload(key, HeaderList.EMPTY);
    }

    default StoredPart part(MultipartUpload upload, int number, byte[] bytes) {
        return ContractSupport.await(backend().putPart(upload, number, HeaderList.EMPTY, UploadBodies.of(bytes)));
    }

    default WriteResult complete(MultipartUpload upload, List<CompletedPart> parts) {
        return ContractSupport.await(backend().completeUpload(upload, parts, HeaderList.EMPTY, WriteCondition.ALWAYS));
    }

    default BackendException assertCompletionFails(
            MultipartUpload upload, List<CompletedPart> parts, BackendException.FailureKind kind) {
        return ContractSupport.assertFailure(
                backend().completeUpload(upload, parts, HeaderList.EMPTY, WriteCondition.ALWAYS), kind);
    }

    default void abort(MultipartUpload upload) {
        backend().abortUpload(upload, HeaderList.EMPTY).block(TIMEOUT);
    }

    /** Returns the part as a client names it in a completion. */
    static CompletedPart named(StoredPart part) {
        return new CompletedPart(part.number(), part.eTag(), HeaderList.EMPTY);
    }

    /** Returns the content of a key in {@code count} parts, the last of them {@code last} bytes long. */
    static List<byte[]> cut(String key, int count, int last) {
        return IntStream.range(0, count)
                .mapToObj(i ->
                        GeneratedBytes.of(key).slice((long) i * SMALLEST_PART, i == count - 1 ? last : SMALLEST_PART))
                .toList();
    }
}
