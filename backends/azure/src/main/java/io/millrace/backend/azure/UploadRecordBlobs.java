package io.millrace.backend.azure;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.kit.HttpDate;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlParser;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;

/**
 * The records of multipart uploads in progress: an empty blob {@code .millrace/uploads/ID} for each, with the
 * properties and metadata that the object will have, and its key. The service itself knows blocks but no uploads.
 */
final class UploadRecordBlobs {
    private static final String FOLDER = BlobNameRules.HIDDEN + "uploads/";
    private static final String KEY = BlobMetadataCodec.PREFIX + BlobMetadataCodec.RESERVED + "key";
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final int RANDOM_BYTES = 10;

    private final BlobClient client;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    UploadRecordBlobs(BlobClient client, InstantSource clock) {
        this.client = client;
        this.clock = clock;
    }

    /** Creates a record; the id begins with the time, so that uploads of one key are ordered by it. */
    Mono<MultipartUpload> create(NewObject object) {
        return Mono.defer(() -> {
            byte[] noise = new byte[RANDOM_BYTES];
            random.nextBytes(noise);
            String id = HexFormat.of().toHexDigits(clock.millis(), 12)
                    + HexFormat.of().formatHex(noise);
            BlobRequest put = BlobRequest.to("PUT", record(object.object().bucket(), id))
                    .withHeader("x-ms-blob-type", "BlockBlob")
                    .withHeaders(BlobHeaderMapper.toBlob(object.headers()))
                    .withHeader(
                            KEY,
                            BlobMetadataCodec.encodeValue(BlobMetadataCodec.asBytes(
                                    object.object().key().value())));
            return client.exchange(put).thenReturn(new MultipartUpload(object.object(), id));
        });
    }

    /**
     * Returns the headers with which the object is to be written; fails with NO_SUCH_UPLOAD if there is no such record.
     */
    Mono<List<HeaderField>> read(MultipartUpload upload) {
        return Mono.defer(() -> ID.matcher(upload.uploadId()).matches()
                        ? client.exchange(
                                BlobRequest.to("HEAD", record(upload.object().bucket(), upload.uploadId())))
                        : Mono.<BufferedResponse>error(UploadRecordBlobs::noSuchUpload))
                .onErrorMap(BlobErrorException::isOfAMissingBlob, missing -> noSuchUpload())
                .map(BufferedResponse::fields)
                .filter(fields -> key(fields).equals(Optional.of(upload.object().key())))
                .switchIfEmpty(Mono.error(UploadRecordBlobs::noSuchUpload))
                .map(UploadRecordBlobs::headers);
    }

    /** Deletes a record; fails with NO_SUCH_UPLOAD if there is none. */
    Mono<Void> delete(MultipartUpload upload) {
        return client.exchange(BlobRequest.to("DELETE", record(upload.object().bucket(), upload.uploadId())))
                .onErrorMap(BlobErrorException::isOfAMissingBlob, missing -> noSuchUpload())
                .then();
    }

    /** Lists all records of a bucket, by key and then id. */
    Mono<List<ListedUpload>> list(BucketName bucket) {
        return page(bucket, "")
                .expand(page ->
                        Mono.justOrEmpty(page.nonEmptyTextOf("NextMarker")).flatMap(marker -> page(bucket, marker)))
                .flatMapIterable(page -> uploads(bucket, page))
                .sort(Comparator.<ListedUpload, ObjectKey>comparing(
                                listed -> listed.upload().object().key())
                        .thenComparing(listed -> listed.upload().uploadId()))
                .collectList();
    }

    static BackendException noSuchUpload() {
        return new BackendException(FailureKind.NO_SUCH_UPLOAD, "there is no such upload");
    }

    private Mono<XmlElement> page(BucketName bucket, String marker) {
        return client.exchange(BlobRequest.to("GET", bucket)
                        .with("comp", "list")
                        .with("prefix", FOLDER)
                        .with("include", "metadata")
                        .with("maxresults", String.valueOf(BlobLister.WINDOW))
                        .withNonEmpty("marker", marker))
                .map(reply -> XmlParser.parse(reply.bytes(), "EnumerationResults"));
    }

    private static List<ListedUpload> uploads(BucketName bucket, XmlElement page) {
        return page.all("Blobs")
                .flatMap(blobs -> blobs.all("Blob"))
                .flatMap(blob -> upload(bucket, blob).stream())
                .toList();
    }

    /** Returns the upload of a record; empty for a blob that is none. */
    private static Optional<ListedUpload> upload(BucketName bucket, XmlElement blob) {
        String id = BlobListParser.name(blob).substring(FOLDER.length());
        return blob.first("Metadata")
                .flatMap(metadata -> metadata.nonEmptyTextOf(KEY.substring(BlobMetadataCodec.PREFIX.length())))
                .flatMap(UploadRecordBlobs::decodeKey)
                .map(key -> new ListedUpload(
                        new MultipartUpload(new ObjectRef(bucket, key), id),
                        BlobListParser.properties(blob)
                                .nonEmptyTextOf("Last-Modified")
                                .flatMap(HttpDate::parse)
                                .orElse(Instant.EPOCH),
                        "STANDARD",
                        HeaderList.EMPTY));
    }

    private static ObjectRef record(BucketName bucket, String id) {
        return new ObjectRef(bucket, new ObjectKey(FOLDER + id));
    }

    private static Optional<ObjectKey> key(HeaderList fields) {
        return fields.first(KEY).flatMap(UploadRecordBlobs::decodeKey);
    }

    private static Optional<ObjectKey> decodeKey(String value) {
        try {
            return Optional.of(new ObjectKey(BlobMetadataCodec.asText(BlobMetadataCodec.decodeValue(value))));
        } catch (IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }

    private static List<HeaderField> headers(HeaderList fields) {
        return fields.fields().stream()
                .filter(field -> BlobHeaderMapper.PROPERTIES.containsKey(field.name())
                        || (field.name().startsWith(BlobMetadataCodec.PREFIX)
                                && !field.name().equals(KEY)))
                .map(field -> new HeaderField(
                        BlobHeaderMapper.PROPERTIES.getOrDefault(field.name(), field.name()), field.value()))
                .toList();
    }
}
