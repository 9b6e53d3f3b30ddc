package io.millrace.backend.spi;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One page of an object listing. Objects and prefixes are each in the byte order of UTF-8.
 *
 * @param next the start of the next page, of the same type as the start of the request; empty on the last page
 */
public record ListPage(List<ListedObject> objects, List<String> prefixes, Optional<ListRequest.PageStart> next) {
    /** An object in a listing. */
    public record ListedObject(
            ObjectKey key,
            long size,
            Optional<ETag> eTag,
            Instant lastModified,
            String storageClass,
            ListedChecksums checksums,
            Optional<ObjectOwner> owner) {}

    /**
     * The checksum algorithms and type that a listing reports for an object.
     *
     * @param algorithms such as {@code CRC32}
     * @param type {@code FULL_OBJECT} or {@code COMPOSITE}, if the backend says
     */
    public record ListedChecksums(List<String> algorithms, Optional<String> type) {
        /** No checksums. */
        public static final ListedChecksums NONE = new ListedChecksums(List.of(), Optional.empty());

        public ListedChecksums {
            algorithms = List.copyOf(algorithms);
        }

        /** Returns the algorithms and type of the checksums in an object's headers. */
        public static ListedChecksums of(HeaderList headers) {
            List<String> algorithms = headers.fields().stream()
                    .flatMap(field -> ChecksumAlgorithm.ofHeader(field.name()).stream())
                    .map(Enum::name)
                    .toList();
            return new ListedChecksums(algorithms, headers.first(UploadChecksumSpec.TYPE_HEADER));
        }
    }

    /** The owner of an object or bucket. */
    public record ObjectOwner(String id, String displayName) {}

    public ListPage {
        objects = List.copyOf(objects);
        prefixes = List.copyOf(prefixes);
    }
}
