package io.millrace.backend.spi;

import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * A backend's operations on multipart uploads: create, upload and list parts, complete, abort. The backend stores them,
 * so that they survive a restart of the gateway. The contract of {@link ObjectWriter} holds; an unknown upload fails
 * with {@link BackendException.FailureKind#NO_SUCH_UPLOAD}.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html">Multipart upload</a>
 */
public interface MultipartUploads {
    /** The largest part number. */
    int MAX_PARTS = 10_000;

    /** A multipart upload in progress. The id is the backend's and opaque. */
    record MultipartUpload(ObjectRef object, String uploadId) {}

    /** The result of CreateMultipartUpload; {@code headers} as in {@link WriteResult}. */
    record CreatedUpload(MultipartUpload upload, HeaderList headers) {}

    /** The result of UploadPart or UploadPartCopy; only a copy has {@code lastModified}. */
    record StoredPart(int number, ETag eTag, HeaderList headers, Optional<Instant> lastModified) {}

    /**
     * A part that a client lists in CompleteMultipartUpload; {@code checksums} are {@code x-amz-checksum-*} headers.
     */
    record CompletedPart(int number, ETag eTag, HeaderList checksums) {}

    /** A part in a listing; {@code checksums} are {@code x-amz-checksum-*} headers. */
    record ListedPart(int number, ETag eTag, long size, Instant lastModified, HeaderList checksums) {}

    /**
     * A page of an upload's parts.
     *
     * @param storageClass of the future object
     * @param headers {@code x-amz-checksum-algorithm}, {@code x-amz-checksum-type}, {@code x-amz-abort-date}, if sent
     * @param next the part number after which the next page begins; empty on the last page
     */
    record PartPage(List<ListedPart> parts, String storageClass, HeaderList headers, Optional<Integer> next) {
        public PartPage {
            parts = List.copyOf(parts);
        }
    }

    /** An upload in a listing; {@code headers} as in {@link PartPage}. */
    record ListedUpload(MultipartUpload upload, Instant initiated, String storageClass, HeaderList headers) {}

    /**
     * A request for one page of a bucket's uploads, in the byte order of their keys, then by id.
     *
     * @param prefix of the keys; may be empty
     * @param delimiter keys are grouped by the text up to its first occurrence after the prefix; empty for no grouping
     * @param keyMarker the key after which the page begins; may be empty
     * @param uploadIdMarker the upload of {@code keyMarker} after which the page begins; may be empty
     * @param maxUploads upper bound for uploads and common prefixes together, 0 to 1,000
     */
    record ListUploadsRequest(
            BucketName bucket,
            String prefix,
            String delimiter,
            String keyMarker,
            String uploadIdMarker,
            int maxUploads) {}

    /** The position after which the next page of uploads begins. */
    record UploadMarker(String key, String uploadId) {}

    /** A page of a bucket's uploads; {@code next} is empty on the last. */
    record UploadPage(List<ListedUpload> uploads, List<String> prefixes, Optional<UploadMarker> next) {
        public UploadPage {
            uploads = List.copyOf(uploads);
            prefixes = List.copyOf(prefixes);
        }
    }

    /** Creates an upload. The condition must be {@link WriteCondition.Unconditional}: the completion has its own. */
    default Mono<CreatedUpload> createUpload(NewObject object) {
        return UnsupportedOperationErrors.error("createUpload");
    }

    /**
     * Stores the part with this number, 1 to {@link #MAX_PARTS}; replaces an earlier part with the same number.
     *
     * @param headers {@code content-md5}, {@code x-amz-checksum-*} and the like, under the rule of {@link
     *     NewObject#headers}
     */
    default Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return UnsupportedOperationErrors.error("putPart");
    }

    /**
     * Copies a part from an object of the same backend.
     *
     * @param range of the source; the whole object if empty
     */
    default Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return UnsupportedOperationErrors.error("copyPart");
    }

    /**
     * Completes an upload: the object consists of these parts in this order. Fails with {@link
     * BackendException.FailureKind#INVALID_REQUEST} and the S3 error (InvalidPart, InvalidPartOrder, EntityTooSmall) if
     * parts are missing, too small, out of order or have another tag.
     *
     * @param headers {@code x-amz-checksum-*}, {@code x-amz-checksum-type}, {@code x-amz-mp-object-size}, as given
     */
    default Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        return UnsupportedOperationErrors.error("completeUpload");
    }

    /**
     * Aborts an upload and deletes its parts.
     *
     * @param headers such as {@code x-amz-if-match-initiated-time}, under the rule of {@link
     *     ObjectWriter.NewObject#headers}
     */
    default Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return UnsupportedOperationErrors.error("abortUpload");
    }

    /**
     * Lists one page of an upload's parts, ordered by number.
     *
     * @param after the part number after which the page begins; 0 for the first page
     * @param maxParts 0 to 1,000
     */
    default Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return UnsupportedOperationErrors.error("listParts");
    }

    /** Lists one page of a bucket's uploads. */
    default Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return UnsupportedOperationErrors.error("listUploads");
    }
}
