package io.millrace.backend.gcs;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.ObjectVersion.ValidatorStrength;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An object as Google Cloud Storage describes it, in either API.
 *
 * @param generation identifies the bytes; changes with each write of the object, not with its metadata
 * @param md5 in Base64; composite objects have none
 * @param crc32c in Base64
 * @param updated the time of the last change of bytes or metadata
 * @param standard {@code content-type} and the like, as headers
 * @param custom the custom metadata; a value holds the bytes of its UTF-8, each as the character with that number
 */
record ObjectDescription(
        long generation,
        long size,
        Optional<String> md5,
        Optional<String> crc32c,
        Optional<Instant> updated,
        String storageClass,
        HeaderList standard,
        Map<String, String> custom) {
    private static final int MD5_BYTES = 16;
    private static final String META = "x-amz-meta-";
    private static final String STANDARD_CLASS = "STANDARD";

    /** The value that the XML API sends where an object has none; the JSON API sends nothing then. */
    static final String DEFAULT_CONTENT_TYPE = "application/octet-stream";

    /** The Cache-Control that the server adds to objects without one: to private ones, and to public ones. */
    private static final List<String> DEFAULT_CACHE_CONTROL = List.of("private, max-age=0", "public, max-age=3600");

    ObjectDescription {
        custom = Map.copyOf(custom);
    }

    /** Returns the version: a strong validator that is the generation. */
    ObjectVersion version() {
        return new ObjectVersion(ValidatorStrength.STRONG, Long.toString(generation), size, Optional.empty());
    }

    /**
     * Returns the tag that clients see: S3's tag of an upload in parts if one is stored, else the MD5, else one made of
     * the generation that nobody takes for an MD5.
     */
    ETag eTag() {
        return reserved(ReservedMetadataNames.ETAG)
                .or(() -> md5.flatMap(text -> Base64Digest.decode(text, MD5_BYTES))
                        .map(HexFormat.of()::formatHex))
                .map(ETag::strong)
                .orElseGet(() -> ETag.strong(generation + "-gcs"));
    }

    /** Returns the time of the last change in whole seconds. */
    Optional<Instant> lastModified() {
        return updated.map(time -> time.truncatedTo(ChronoUnit.SECONDS));
    }

    /**
     * Returns the metadata for a client.
     *
     * @param withChecksums whether it asked for checksums
     */
    ObjectHead head(boolean withChecksums) {
        List<HeaderField> fields = new ArrayList<>(headers().fields());
        if (withChecksums) {
            fields.addAll(checksums().fields());
        }
        return new ObjectHead(version(), Optional.of(eTag()), lastModified(), new HeaderList(fields));
    }

    /** Returns the headers of the object without its checksums. */
    HeaderList headers() {
        List<HeaderField> fields = new ArrayList<>();
        if (standard.first("content-type").isEmpty()) {
            fields.add(new HeaderField("content-type", DEFAULT_CONTENT_TYPE));
        }
        for (HeaderField field : standard.fields()) {
            boolean isDefault = field.name().equals("cache-control") && DEFAULT_CACHE_CONTROL.contains(field.value());
            if (!isDefault) {
                fields.add(field);
            }
        }
        int unfit = 0;
        for (Map.Entry<String, String> entry : custom.entrySet()) {
            if (!ReservedMetadataNames.contains(entry.getKey())) {
                boolean fits = HeaderTextCodec.isName(entry.getKey()) && HeaderTextCodec.isValue(entry.getValue());
                unfit += fits ? 0 : 1;
                if (fits) {
                    fields.add(new HeaderField(META + entry.getKey(), entry.getValue()));
                }
            }
        }
        Optional.ofNullable(custom.get(ReservedMetadataNames.EXPIRES))
                .ifPresent(time -> fields.add(new HeaderField("expires", time)));
        if (unfit > 0) {
            fields.add(new HeaderField("x-amz-missing-meta", Integer.toString(unfit)));
        }
        if (!storageClass.isEmpty() && !storageClass.equals(STANDARD_CLASS)) {
            fields.add(new HeaderField("x-amz-storage-class", storageClass));
        }
        return new HeaderList(fields);
    }

    /** Returns the checksum that a client stored with the object, else the server's CRC32C, as headers. */
    HeaderList checksums() {
        HeaderList stored = storedChecksums();
        if (!stored.fields().isEmpty()) {
            String type = reserved(ReservedMetadataNames.CHECKSUM_TYPE).orElse(UploadChecksumSpec.FULL_OBJECT);
            return stored.with(UploadChecksumSpec.TYPE_HEADER, type);
        }
        return crc32c.map(sum -> HeaderList.EMPTY
                        .with(ChecksumAlgorithm.CRC32C.headerName(), sum)
                        .with(UploadChecksumSpec.TYPE_HEADER, UploadChecksumSpec.FULL_OBJECT))
                .orElse(HeaderList.EMPTY);
    }

    /** Returns the value of reserved metadata that is bound to the bytes. */
    Optional<String> reserved(String name) {
        String content = custom.get(ReservedMetadataNames.CONTENT);
        boolean isOfTheseBytes =
                content == null || crc32c.filter(content::equals).isPresent();
        return isOfTheseBytes ? Optional.ofNullable(custom.get(name)) : Optional.empty();
    }

    private HeaderList storedChecksums() {
        HeaderList sums = HeaderList.EMPTY;
        for (ChecksumAlgorithm algorithm : ChecksumAlgorithm.values()) {
            Optional<String> value = reserved(ReservedMetadataNames.checksum(algorithm));
            if (value.isPresent()) {
                sums = sums.with(algorithm.headerName(), value.get());
            }
        }
        return sums;
    }
}
