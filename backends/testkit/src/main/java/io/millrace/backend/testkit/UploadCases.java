package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.WriteCondition;
import java.util.List;
import java.util.stream.IntStream;

/** Short ways to upload in parts. */
interface UploadCases extends WriterCases {
    /** S3's smallest part but the last. */
    int SMALLEST_PART = 5 << 20;

    default Upload begin(String key, HeaderList headers) {
        return ContractCases.await(backend().createUpload(target(key, headers, WriteCondition.ALWAYS)))
                .upload();
    }

    default Upload begin(String key) {
        return begin(key, HeaderList.EMPTY);
    }

    default StoredPart part(Upload upload, int number, byte[] bytes) {
        return ContractCases.await(backend().putPart(upload, number, HeaderList.EMPTY, Body.of(bytes)));
    }

    default Written complete(Upload upload, List<NamedPart> parts) {
        return ContractCases.await(backend().completeUpload(upload, parts, HeaderList.EMPTY, WriteCondition.ALWAYS));
    }

    default BackendException refused(Upload upload, List<NamedPart> parts, BackendException.Kind kind) {
        return ContractCases.failure(
                backend().completeUpload(upload, parts, HeaderList.EMPTY, WriteCondition.ALWAYS), kind);
    }

    default void abort(Upload upload) {
        backend().abortUpload(upload, HeaderList.EMPTY).block(PATIENCE);
    }

    /** The part as a client names it. */
    static NamedPart named(StoredPart part) {
        return new NamedPart(part.number(), part.eTag(), HeaderList.EMPTY);
    }

    /** The content of a key in {@code count} parts, the last of them {@code last} bytes long. */
    static List<byte[]> cut(String key, int count, int last) {
        return IntStream.range(0, count)
                .mapToObj(i -> Bytes.of(key).slice((long) i * SMALLEST_PART, i == count - 1 ? last : SMALLEST_PART))
                .toList();
    }
}
