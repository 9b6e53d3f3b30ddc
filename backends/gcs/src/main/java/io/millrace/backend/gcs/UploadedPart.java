package io.millrace.backend.gcs;

import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import java.time.Instant;
import java.util.Optional;

/**
 * A part of a multipart upload, which Google Cloud Storage keeps as an object of its own.
 *
 * @param name of the object
 * @param later the checksum that was known only after the bytes; empty if there is none
 */
record UploadedPart(int number, String name, ObjectDescription stored, Optional<ObjectDescription> later) {
    ListedPart listed() {
        return new ListedPart(
                number, stored.eTag(), stored.size(), stored.lastModified().orElse(Instant.EPOCH), checksums());
    }

    /** Returns all known checksums as headers. */
    HeaderList checksums() {
        HeaderList sums = HeaderList.EMPTY;
        for (ChecksumAlgorithm algorithm : ChecksumAlgorithm.values()) {
            String name = ReservedMetadataNames.checksum(algorithm);
            Optional<String> value = algorithm == ChecksumAlgorithm.CRC32C ? stored.crc32c() : stored.reserved(name);
            Optional<String> known = value.or(() -> later.flatMap(sum -> sum.reserved(name)));
            if (known.isPresent()) {
                sums = sums.with(algorithm.headerName(), known.get());
            }
        }
        return sums;
    }
}
