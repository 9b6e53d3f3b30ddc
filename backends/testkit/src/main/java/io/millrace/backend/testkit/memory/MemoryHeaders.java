package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.UnsupportedHeaderErrors;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.Map;
import java.util.Set;

/** Decides which headers of a write the in-memory backend stores, accepts without storing, or rejects. */
final class MemoryHeaders {
    private static final Set<String> STORED = Set.of(
            "content-type",
            "content-encoding",
            "content-language",
            "content-disposition",
            "cache-control",
            "expires",
            "x-amz-website-redirect-location");
    private static final Set<String> ACCEPTED = Set.of(
            "content-md5",
            "x-amz-checksum-algorithm",
            "x-amz-checksum-type",
            "x-amz-sdk-checksum-algorithm",
            "x-amz-metadata-directive",
            "x-amz-mp-object-size");
    private static final Map<String, String> ACCEPTED_VALUES =
            Map.of("x-amz-storage-class", "STANDARD", "x-amz-acl", "private", "x-amz-tagging-directive", "COPY");

    private MemoryHeaders() {}

    /**
     * Returns the headers to store.
     *
     * @throws BackendException of kind {@link FailureKind#UNSUPPORTED} if one cannot be honoured
     */
    static HeaderList storable(HeaderList given) {
        given.fields().stream().filter(field -> !isHonoured(field)).findFirst().ifPresent(field -> {
            throw UnsupportedHeaderErrors.error(field.name(), "memory");
        });
        return given.where(name -> STORED.contains(name) || isMetadata(name) || isChecksum(name));
    }

    static HeaderList checksums(HeaderList fields) {
        return fields.where(MemoryHeaders::isChecksum);
    }

    static HeaderList withoutChecksums(HeaderList fields) {
        return fields.where(name -> !isChecksum(name));
    }

    private static boolean isHonoured(HeaderField field) {
        return STORED.contains(field.name())
                || ACCEPTED.contains(field.name())
                || isMetadata(field.name())
                || isChecksum(field.name())
                || field.value().equals(ACCEPTED_VALUES.get(field.name()));
    }

    private static boolean isMetadata(String name) {
        return name.startsWith("x-amz-meta-");
    }

    private static boolean isChecksum(String name) {
        return ChecksumAlgorithm.isHeader(name) && !ACCEPTED.contains(name);
    }
}
