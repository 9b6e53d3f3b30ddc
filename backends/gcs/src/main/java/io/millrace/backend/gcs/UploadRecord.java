package io.millrace.backend.gcs;

import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/**
 * The stored record of a multipart upload in progress. It is the custom metadata of an empty object, so that a listing
 * brings all of them.
 *
 * @param headers the headers to store the object with, and the requested checksum
 */
record UploadRecord(ObjectRef object, String id, Instant initiated, HeaderList headers) {
    private static final String KEY = ReservedMetadataNames.PREFIX + "key";
    private static final String HEADERS = ReservedMetadataNames.PREFIX + "headers";

    /**
     * Returns the metadata of the record of a new upload. Base64, because some servers pass custom metadata on as
     * headers.
     */
    static NewObjectMetadata toFields(ObjectKey key, HeaderList headers) {
        ArrayNode list = JsonMapper.shared().createArrayNode();
        headers.fields().forEach(field -> list.add(field.name()).add(field.value()));
        return new NewObjectMetadata(
                Map.of(),
                Map.of(
                        KEY,
                        encode(key.utf8()),
                        HEADERS,
                        encode(JsonMapper.shared().writeValueAsBytes(list))));
    }

    /** Reads a record; empty if it is none. */
    static Optional<UploadRecord> of(BucketName bucket, String id, ObjectDescription stored) {
        try {
            ObjectKey key = ObjectKey.ofUtf8(decode(stored, KEY));
            JsonNode list = JsonMapper.shared().readTree(decode(stored, HEADERS));
            List<HeaderField> fields = new ArrayList<>();
            for (int i = 0; i + 1 < list.size(); i += 2) {
                fields.add(
                        new HeaderField(list.get(i).asString(), list.get(i + 1).asString()));
            }
            return Optional.of(new UploadRecord(
                    new ObjectRef(bucket, key),
                    id,
                    stored.updated().orElse(Instant.EPOCH).truncatedTo(ChronoUnit.SECONDS),
                    new HeaderList(fields)));
        } catch (IllegalArgumentException | JacksonException e) {
            return Optional.empty();
        }
    }

    MultipartUpload upload() {
        return new MultipartUpload(object, id);
    }

    /** Returns the metadata of the future object. */
    NewObjectMetadata fields() {
        return NewObjectMetadata.of(headers);
    }

    Optional<UploadChecksumSpec> checksum() {
        return UploadChecksumSpec.of(headers);
    }

    HeaderList checksumHeaders() {
        return checksum().map(UploadChecksumSpec::headers).orElse(HeaderList.EMPTY);
    }

    String storageClass() {
        return fields().storageClass().orElse("STANDARD");
    }

    ListedUpload listed() {
        return new ListedUpload(upload(), initiated, storageClass(), checksumHeaders());
    }

    private static String encode(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] decode(ObjectDescription stored, String name) {
        return Base64.getDecoder().decode(stored.custom().getOrDefault(name, "").getBytes(StandardCharsets.ISO_8859_1));
    }
}
