package io.millrace.backend.spi;

import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Uploads in parts. The backend keeps them, so that they outlive this process. The rules of {@link ObjectWriter} hold; an upload
 * that is not there is {@link BackendException.Kind#NO_SUCH_UPLOAD}.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html">Multipart upload</a>
 */
public interface MultipartUploads {
    /** The largest part number. */
    int MAX_PARTS = 10_000;

    /** An upload that was begun. The id is the backend's, opaque. */
    record Upload(ObjectRef object, String uploadId) {}

    /** The answer to the beginning of one; {@code headers} as in {@link Written}. */
    record Begun(Upload upload, HeaderList headers) {}

    /** A part that was stored; {@code lastModified} where the answer tells it, as that to a copy does. */
    record StoredPart(int number, ETag eTag, HeaderList headers, Optional<Instant> lastModified) {}

    /** A part as the client names it to make the object; {@code checksums} are {@code x-amz-checksum-*} fields. */
    record NamedPart(int number, ETag eTag, HeaderList checksums) {}

    /** A part as a listing tells of it; {@code checksums} are {@code x-amz-checksum-*} fields. */
    record ListedPart(int number, ETag eTag, long size, Instant lastModified, HeaderList checksums) {}

    /**
     * A page of an upload's parts.
     *
     * @param storageClass of the object to be
     * @param headers {@code x-amz-checksum-algorithm}, {@code x-amz-checksum-type}, {@code x-amz-abort-date}, where told
     * @param next the number behind which the next page begins; empty on the last
     */
    record PartPage(List<ListedPart> parts, String storageClass, HeaderList headers, Optional<Integer> next) {
        public PartPage {
            parts = List.copyOf(parts);
        }
    }

    /** An upload as a listing tells of it; {@code headers} as in {@link PartPage}. */
    record ListedUpload(Upload upload, Instant initiated, String storageClass, HeaderList headers) {}

    /**
     * Which uploads are asked for, in the byte order of their keys, then by id.
     *
     * @param prefix what keys begin with; may be empty
     * @param delimiter keys are rolled up at its first occurrence behind the prefix; empty for none
     * @param keyMarker behind which key the page begins; may be empty
     * @param uploadIdMarker behind which upload of {@code keyMarker}; may be empty
     * @param maxUploads uploads and rolled-up prefixes together at most, 0 to 1,000
     */
    record UploadQuery(
            BucketName bucket,
            String prefix,
            String delimiter,
            String keyMarker,
            String uploadIdMarker,
            int maxUploads) {}

    /** Where a page of uploads ended; begins the next one. */
    record UploadMarker(String key, String uploadId) {}

    /** A page of a bucket's uploads; {@code next} is empty on the last. */
    record UploadPage(List<ListedUpload> uploads, List<String> prefixes, Optional<UploadMarker> next) {
        public UploadPage {
            uploads = List.copyOf(uploads);
            prefixes = List.copyOf(prefixes);
        }
    }

    /** Begins an upload; its condition is {@link WriteCondition.Always}, as the completion has one of its own. */
    default Mono<Begun> createUpload(NewObject object) {
        return Refusals.refuse("createUpload");
    }

    /**
     * Stores one part, 1 to {@link #MAX_PARTS}, in place of an earlier one with this number.
     *
     * @param headers {@code content-md5}, {@code x-amz-checksum-*} and the like, under the rule of {@link NewObject#headers}
     */
    default Mono<StoredPart> putPart(Upload upload, int number, HeaderList headers, UploadBody body) {
        return Refusals.refuse("putPart");
    }

    /**
     * Stores one part out of an object of the same backend.
     *
     * @param range of the source; all of it if empty
     */
    default Mono<StoredPart> copyPart(
            Upload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return Refusals.refuse("copyPart");
    }

    /**
     * Makes the parts, in this order, the object. Parts that are not there or have another tag are
     * {@link BackendException.Kind#INVALID_REQUEST} in S3's words (InvalidPart, InvalidPartOrder, EntityTooSmall).
     *
     * @param headers {@code x-amz-checksum-*}, {@code x-amz-checksum-type}, {@code x-amz-mp-object-size}, as given
     */
    default Mono<Written> completeUpload(
            Upload upload, List<NamedPart> parts, HeaderList headers, WriteCondition condition) {
        return Refusals.refuse("completeUpload");
    }

    /**
     * Gives an upload up, and its parts.
     *
     * @param headers such as {@code x-amz-if-match-initiated-time}, under the rule of {@link ObjectWriter.NewObject#headers}
     */
    default Mono<Void> abortUpload(Upload upload, HeaderList headers) {
        return Refusals.refuse("abortUpload");
    }

    /**
     * One page of an upload's parts, by number.
     *
     * @param after the number behind which the page begins; 0 for the first
     * @param maxParts 0 to 1,000
     */
    default Mono<PartPage> listParts(Upload upload, int after, int maxParts) {
        return Refusals.refuse("listParts");
    }

    /** One page of a bucket's uploads. */
    default Mono<UploadPage> listUploads(UploadQuery query) {
        return Refusals.refuse("listUploads");
    }
}
