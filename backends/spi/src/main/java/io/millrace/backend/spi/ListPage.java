package io.millrace.backend.spi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One page of a listing. Objects and prefixes are each in the byte order of UTF-8.
 *
 * @param next where the next page begins, of the same kind the request began with; empty on the last
 */
public record ListPage(List<Entry> objects, List<String> prefixes, Optional<ListRequest.From> next) {
    /** One object of a listing. */
    public record Entry(
            ObjectKey key,
            long size,
            Optional<ETag> eTag,
            Instant lastModified,
            String storageClass,
            Checksums checksums,
            Optional<Owner> owner) {}

    /**
     * Which checksums are kept with an object.
     *
     * @param algorithms such as {@code CRC32}
     * @param type {@code FULL_OBJECT} or {@code COMPOSITE}, where it is told
     */
    public record Checksums(List<String> algorithms, Optional<String> type) {
        /** None. */
        public static final Checksums NONE = new Checksums(List.of(), Optional.empty());

        public Checksums {
            algorithms = List.copyOf(algorithms);
        }
    }

    /** Who an object or bucket belongs to. */
    public record Owner(String id, String displayName) {}

    public ListPage {
        objects = List.copyOf(objects);
        prefixes = List.copyOf(prefixes);
    }
}
