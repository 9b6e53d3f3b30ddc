package io.millrace.backend.gcs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.InvalidRequestErrors;
import io.millrace.backend.spi.UnsupportedHeaderErrors;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The metadata of an object to write, as the JSON API takes it, made of the headers of a client's request. A header
 * that Google Cloud Storage cannot honour is refused.
 *
 * @param fields of the resource, but for custom metadata
 * @param custom the custom metadata, as text
 */
record NewObjectMetadata(Map<String, String> fields, Map<String, String> custom) {
    private static final String META = "x-amz-meta-";

    private static final Map<String, String> STANDARD = Map.of(
            "content-type", "contentType",
            "content-encoding", "contentEncoding",
            "content-language", "contentLanguage",
            "content-disposition", "contentDisposition",
            "cache-control", "cacheControl",
            "content-md5", "md5Hash");

    private static final Set<String> LEFT_TO_OTHERS = Set.of("x-amz-mp-object-size");
    private static final Set<String> STORAGE_CLASSES = Set.of("STANDARD", "NEARLINE", "COLDLINE", "ARCHIVE");

    /** Headers with the values that are honoured: the server encrypts everything. */
    private static final Map<String, Set<String>> HONOURED =
            Map.of("x-amz-storage-class", STORAGE_CLASSES, "x-amz-server-side-encryption", Set.of("AES256"));

    NewObjectMetadata {
        fields = Map.copyOf(fields);
        custom = Map.copyOf(custom);
    }

    /**
     * Returns the metadata for these headers.
     *
     * @throws BackendException of kind {@link FailureKind#UNSUPPORTED} for a header that cannot be honoured, of kind
     *     {@link FailureKind#INVALID_REQUEST} for a value that cannot be stored
     */
    static NewObjectMetadata of(HeaderList given) {
        Map<String, String> fields = new TreeMap<>();
        Map<String, String> custom = new TreeMap<>();
        for (HeaderField field : given.fields()) {
            String name = field.name();
            Optional<ChecksumAlgorithm> sum = ChecksumAlgorithm.ofHeader(name).filter(ChecksumAlgorithm::isComputed);
            if (STANDARD.containsKey(name)) {
                fields.put(STANDARD.getOrDefault(name, ""), text(field));
            } else if (name.startsWith(META)) {
                putMetadata(field, custom);
            } else if (sum.isPresent()) {
                putChecksum(sum.get(), field.value(), fields, custom);
            } else if (name.equals("expires")) {
                custom.put(ReservedMetadataNames.EXPIRES, text(field));
            } else if (name.equals("x-amz-storage-class") && STORAGE_CLASSES.contains(field.value())) {
                fields.put("storageClass", field.value());
            } else {
                UnsupportedHeaderErrors.requireHonoured(field, LEFT_TO_OTHERS, HONOURED, "gcs");
            }
        }
        // Written out, because servers differ in what they send where there is none.
        fields.putIfAbsent("contentType", ObjectDescription.DEFAULT_CONTENT_TYPE);
        return new NewObjectMetadata(fields, custom);
    }

    /** Returns the metadata that makes a copy like its source, with what the source has of reserved metadata. */
    static NewObjectMetadata copyOf(ObjectDescription source) {
        Map<String, String> fields = new TreeMap<>();
        source.standard().fields().forEach(field -> fields.put(STANDARD.getOrDefault(field.name(), ""), text(field)));
        Map<String, String> custom = new TreeMap<>();
        source.custom()
                .forEach((name, value) ->
                        custom.put(name, HeaderTextCodec.toText(value).orElse(value)));
        return new NewObjectMetadata(fields, custom);
    }

    /** Returns a copy with what belongs to the bytes of a source: its tag and checksums. */
    NewObjectMetadata withContentOf(ObjectDescription source) {
        Map<String, String> more = new TreeMap<>(custom);
        source.custom().forEach((name, value) -> {
            boolean isOfContent = ReservedMetadataNames.contains(name) && !name.equals(ReservedMetadataNames.EXPIRES);
            if (isOfContent) {
                more.putIfAbsent(name, value);
            }
        });
        return new NewObjectMetadata(fields, more);
    }

    /** Returns a copy with this storage class. */
    NewObjectMetadata withStorageClass(String storageClass) {
        Map<String, String> more = new TreeMap<>(fields);
        more.put("storageClass", storageClass);
        return new NewObjectMetadata(more, custom);
    }

    Optional<String> storageClass() {
        return Optional.ofNullable(fields.get("storageClass"));
    }

    /** Returns the content type; empty if there is none. */
    String contentType() {
        return fields.getOrDefault("contentType", "");
    }

    /** Returns the resource for a request. */
    ObjectNode toJson() {
        ObjectNode resource = JsonMapper.shared().createObjectNode();
        fields.forEach(resource::put);
        if (!custom.isEmpty()) {
            ObjectNode metadata = resource.putObject("metadata");
            custom.forEach(metadata::put);
        }
        return resource;
    }

    private static void putMetadata(HeaderField field, Map<String, String> custom) {
        String name = field.name().substring(META.length());
        if (ReservedMetadataNames.contains(name)) {
            throw invalid("Millrace keeps metadata of its own under this name: " + field.name());
        }
        custom.merge(name, text(field), (first, second) -> first + "," + second);
    }

    private static void putChecksum(
            ChecksumAlgorithm algorithm, String value, Map<String, String> fields, Map<String, String> custom) {
        if (algorithm == ChecksumAlgorithm.CRC32C) {
            fields.put("crc32c", value);
        } else {
            custom.put(ReservedMetadataNames.checksum(algorithm), value);
        }
    }

    private static String text(HeaderField field) {
        return HeaderTextCodec.toText(field.value())
                .orElseThrow(() -> invalid("Header value cannot be stored, because it is not UTF-8: " + field.name()));
    }

    private static BackendException invalid(String message) {
        return InvalidRequestErrors.error("InvalidArgument", message);
    }
}
