package io.millrace.backend.azure;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.UnsupportedHeaderErrors;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Maps S3's headers of an object to properties and metadata of a blob and back. A header that a blob cannot honour is
 * refused.
 */
final class BlobHeaderMapper {
    static final String CONTENT_MD5 = "content-md5";

    private static final String USER = "x-amz-meta-";

    /** S3's default, where Azure's is application/octet-stream. */
    private static final String DEFAULT_TYPE = "binary/octet-stream";

    /** The headers that blobs have properties for, and those that set them. */
    static final Map<String, String> PROPERTIES = Map.of(
            "content-type", "x-ms-blob-content-type",
            "content-encoding", "x-ms-blob-content-encoding",
            "content-language", "x-ms-blob-content-language",
            "content-disposition", "x-ms-blob-content-disposition",
            "cache-control", "x-ms-blob-cache-control");

    /** Headers without a property, stored as metadata. */
    private static final Set<String> AS_METADATA = Set.of("expires", "x-amz-website-redirect-location");

    private static final Map<String, Set<String>> HONOURED = Map.of("x-amz-storage-class", Set.of("STANDARD"));

    private static final Map<String, String> STORAGE_CLASS_OF_TIER = Map.of(
            "Cool", "STANDARD_IA",
            "Cold", "GLACIER_IR",
            "Archive", "GLACIER");

    private static final HeaderField FULL_OBJECT =
            new HeaderField(UploadChecksumSpec.TYPE_HEADER, UploadChecksumSpec.FULL_OBJECT);

    private BlobHeaderMapper() {}

    /**
     * Returns the headers with which a blob is written.
     *
     * @throws BackendException of kind {@link FailureKind#UNSUPPORTED} if one cannot be honoured
     */
    static List<HeaderField> toBlob(HeaderList s3) {
        List<HeaderField> fields = new ArrayList<>();
        for (HeaderField field : s3.fields()) {
            String property = PROPERTIES.get(field.name());
            if (property != null) {
                fields.add(new HeaderField(property, requireAscii(field)));
            } else if (field.name().startsWith(USER)) {
                fields.add(BlobMetadataCodec.ofUser(field));
            } else if (AS_METADATA.contains(field.name()) || isChecksum(field)) {
                fields.add(BlobMetadataCodec.ofHeader(field));
            } else {
                requireAccepted(field);
            }
        }
        if (s3.first("content-type").isEmpty()) {
            fields.add(new HeaderField("x-ms-blob-content-type", DEFAULT_TYPE));
        }
        return fields;
    }

    /**
     * Requires that nothing asks for what a blob has not.
     *
     * @throws BackendException of kind {@link FailureKind#UNSUPPORTED} if a header does
     */
    static void requireAccepted(HeaderList s3) {
        s3.fields().forEach(BlobHeaderMapper::requireAccepted);
    }

    /** Returns the headers of a response with S3's names, and those of HTTP. */
    static List<HeaderField> toS3(List<HeaderField> received) {
        List<HeaderField> fields = new ArrayList<>();
        for (HeaderField field : received) {
            if (field.name().startsWith(BlobMetadataCodec.PREFIX)) {
                BlobMetadataCodec.decode(field).ifPresent(fields::add);
            } else if (field.name().equals("x-ms-access-tier")) {
                String storageClass = STORAGE_CLASS_OF_TIER.get(field.value());
                if (storageClass != null) {
                    fields.add(new HeaderField("x-amz-storage-class", storageClass));
                }
            } else if (field.name().equals("x-ms-tag-count")) {
                fields.add(new HeaderField("x-amz-tagging-count", field.value()));
            } else if (!field.name().startsWith("x-ms-") && !field.name().startsWith("x-amz-")) {
                fields.add(field);
            }
        }
        if (fields.stream().anyMatch(BlobHeaderMapper::isChecksum)) {
            fields.add(FULL_OBJECT);
        }
        return fields;
    }

    /** Returns the checksums among headers, which a blob keeps as metadata, and their type. */
    static HeaderList checksums(HeaderList headers) {
        List<HeaderField> checksums = new ArrayList<>(
                headers.fields().stream().filter(BlobHeaderMapper::isChecksum).toList());
        if (!checksums.isEmpty()) {
            checksums.add(FULL_OBJECT);
        }
        return new HeaderList(checksums);
    }

    /** Returns S3's storage class for an access tier of a listing. */
    static String storageClass(String tier) {
        return STORAGE_CLASS_OF_TIER.getOrDefault(tier, "STANDARD");
    }

    /**
     * Returns whether it is a checksum of all bytes, verified before the last of them is sent. One that nobody here
     * computes, and one that is made of those of parts, are refused.
     */
    private static boolean isChecksum(HeaderField field) {
        return field.value().indexOf('-') < 0
                && ChecksumAlgorithm.ofHeader(field.name())
                        .filter(ChecksumAlgorithm::isComputed)
                        .isPresent();
    }

    private static void requireAccepted(HeaderField field) {
        if (!isChecksum(field)) {
            UnsupportedHeaderErrors.requireHonoured(field, Set.of(CONTENT_MD5), HONOURED, AzureBackendProvider.TYPE);
        }
    }

    private static String requireAscii(HeaderField field) {
        if (field.value().chars().allMatch(c -> c >= ' ' && c < 0x7F)) {
            return field.value();
        }
        String message = "Azure keeps only ASCII in " + field.name();
        throw new BackendException(FailureKind.INVALID_REQUEST, message)
                .withS3Error(new S3Error(400, "InvalidArgument", message));
    }
}
