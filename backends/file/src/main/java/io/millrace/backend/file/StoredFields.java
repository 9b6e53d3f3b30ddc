package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.HeaderList.Field;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which fields of a write are stored beside a file, which are only understood, and which are refused: what would be dropped
 * in silence, encryption or a lock for instance, is told instead.
 */
final class StoredFields {
    static final String ALGORITHM = "x-amz-checksum-algorithm";
    static final String TYPE = "x-amz-checksum-type";
    static final String COMPOSITE = "COMPOSITE";
    static final String FULL_OBJECT = "FULL_OBJECT";

    private static final String REDIRECT = "x-amz-website-redirect-location";

    private static final Set<String> STORED = Set.of(
            "content-type",
            "content-encoding",
            "content-language",
            "content-disposition",
            "cache-control",
            "expires",
            REDIRECT);

    /** Said to whoever verifies the bytes on their way, or to one operation, which looks for them itself. */
    private static final Set<String> UNDERSTOOD = Set.of(
            "content-md5",
            "x-amz-sdk-checksum-algorithm",
            ALGORITHM,
            TYPE,
            "x-amz-metadata-directive",
            "x-amz-mp-object-size",
            "x-amz-bypass-governance-retention");

    /** All that a file can honour: one class of storage, one owner, no tags. */
    private static final Map<String, Set<String>> ONLY = Map.of(
            "x-amz-storage-class", Set.of("STANDARD"),
            "x-amz-acl", Set.of("private", "bucket-owner-full-control"),
            "x-amz-tagging-directive", Set.of("COPY"),
            "x-amz-object-ownership", Set.of("BucketOwnerEnforced"),
            "x-amz-bucket-object-lock-enabled", Set.of("false"));

    private StoredFields() {}

    /**
     * What is stored of these.
     *
     * @throws BackendException of kind {@link Kind#UNSUPPORTED} if there is one that cannot be honoured
     */
    static HeaderList of(HeaderList given) {
        for (Field field : given.fields()) {
            if (!isStored(field) && !isUnderstood(field)) {
                throw new BackendException(
                        Kind.UNSUPPORTED, "files cannot honour %s: %s".formatted(field.name(), field.value()));
            }
        }
        return only(given, StoredFields::isStored);
    }

    /** The checksums among these, without their type. */
    static HeaderList sums(HeaderList fields) {
        return only(fields, StoredFields::isSum);
    }

    /** These without what tells a checksum. */
    static HeaderList withoutSums(HeaderList fields) {
        return only(fields, field -> !isSum(field) && !field.name().equals(TYPE));
    }

    /** The same with the type of their checksum, if they have one. */
    static HeaderList typed(HeaderList fields, String type) {
        return sums(fields).fields().isEmpty() ? fields : fields.with(TYPE, type);
    }

    /** What a copy takes over of its source: S3 leaves the redirect behind. */
    static HeaderList copied(HeaderList fields) {
        return only(withoutSums(fields), field -> !field.name().equals(REDIRECT));
    }

    /** What a copy is given anew, though the rest is kept. */
    static HeaderList redirect(HeaderList fields) {
        return only(fields, field -> field.name().equals(REDIRECT));
    }

    static HeaderList joined(HeaderList first, HeaderList second) {
        HeaderList all = first;
        for (Field field : second.fields()) {
            all = all.with(field.name(), field.value());
        }
        return all;
    }

    private static boolean isStored(Field field) {
        return STORED.contains(field.name()) || field.name().startsWith("x-amz-meta-") || isSum(field);
    }

    private static boolean isUnderstood(Field field) {
        return UNDERSTOOD.contains(field.name())
                || ONLY.getOrDefault(field.name(), Set.of()).contains(field.value());
    }

    private static boolean isSum(Field field) {
        return ChecksumAlgorithm.ofHeader(field.name())
                .filter(ChecksumAlgorithm::isComputed)
                .isPresent();
    }

    private static HeaderList only(HeaderList fields, Predicate<Field> passes) {
        return new HeaderList(fields.fields().stream().filter(passes).toList());
    }
}
