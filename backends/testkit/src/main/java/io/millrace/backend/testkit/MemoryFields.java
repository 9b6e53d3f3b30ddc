package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.HeaderList.Field;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Which fields of a write the memory keeps, which it only understands, and which it refuses. */
final class MemoryFields {
    private static final Set<String> KEPT = Set.of(
            "content-type",
            "content-encoding",
            "content-language",
            "content-disposition",
            "cache-control",
            "expires",
            "x-amz-website-redirect-location");
    private static final Set<String> UNDERSTOOD = Set.of(
            "content-md5",
            "x-amz-checksum-algorithm",
            "x-amz-checksum-type",
            "x-amz-sdk-checksum-algorithm",
            "x-amz-metadata-directive",
            "x-amz-mp-object-size");
    private static final Map<String, String> ONLY =
            Map.of("x-amz-storage-class", "STANDARD", "x-amz-acl", "private", "x-amz-tagging-directive", "COPY");

    private MemoryFields() {}

    /**
     * What is stored of these.
     *
     * @throws BackendException of kind {@link Kind#UNSUPPORTED} if there is one that cannot be honoured
     */
    static HeaderList kept(HeaderList given) {
        given.fields().stream().filter(field -> !isHonoured(field)).findFirst().ifPresent(field -> {
            throw new BackendException(
                    Kind.UNSUPPORTED, "memory cannot honour %s: %s".formatted(field.name(), field.value()));
        });
        return only(given, field -> KEPT.contains(field.name()) || isMetadata(field) || isChecksum(field));
    }

    static HeaderList checksums(HeaderList fields) {
        return only(fields, MemoryFields::isChecksum);
    }

    static HeaderList withoutChecksums(HeaderList fields) {
        return only(fields, field -> !isChecksum(field));
    }

    private static HeaderList only(HeaderList fields, Predicate<Field> passes) {
        return new HeaderList(fields.fields().stream().filter(passes).toList());
    }

    private static boolean isHonoured(Field field) {
        return KEPT.contains(field.name())
                || UNDERSTOOD.contains(field.name())
                || isMetadata(field)
                || isChecksum(field)
                || field.value().equals(ONLY.get(field.name()));
    }

    private static boolean isMetadata(Field field) {
        return field.name().startsWith("x-amz-meta-");
    }

    private static boolean isChecksum(Field field) {
        return field.name().startsWith("x-amz-checksum-") && !UNDERSTOOD.contains(field.name());
    }
}
