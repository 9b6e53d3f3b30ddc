package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.data.ReferenceChecksum;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** A multipart upload in progress with its parts so far. */
record MemoryUpload(String id, NewObject object, Instant initiated, NavigableMap<Integer, MemoryPart> parts) {
    MemoryUpload(String id, NewObject object, Instant initiated) {
        this(id, object, initiated.truncatedTo(ChronoUnit.SECONDS), new TreeMap<>());
    }

    /** A part; its bytes are not copied, and nobody writes to them. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record MemoryPart(int number, byte[] bytes, ETag tag, Instant stored, HeaderList checksums) {
        ListedPart listed() {
            return new ListedPart(number, tag, bytes.length, stored.truncatedTo(ChronoUnit.SECONDS), checksums);
        }
    }

    /** Returns the checksum that the object is to have. */
    Optional<ReferenceChecksum> checksum() {
        return object.headers().first("x-amz-checksum-algorithm").map(ReferenceChecksum::valueOf);
    }

    /** Returns whether that is a checksum of the parts' checksums. */
    boolean isComposite() {
        boolean byDefault =
                checksum().map(sum -> sum != ReferenceChecksum.CRC64NVME).orElse(false);
        return object.headers()
                .first("x-amz-checksum-type")
                .map("COMPOSITE"::equals)
                .orElse(byDefault);
    }

    HeaderList checksumFields() {
        return checksum()
                .map(sum -> HeaderList.EMPTY
                        .with("x-amz-checksum-algorithm", sum.name())
                        .with("x-amz-checksum-type", isComposite() ? "COMPOSITE" : "FULL_OBJECT"))
                .orElse(HeaderList.EMPTY);
    }

    /** Returns the checksums of a part: the given ones, and the one that its upload requests. */
    HeaderList checksums(byte[] bytes, HeaderList given) {
        return checksum()
                .filter(sum -> given.first(sum.headerName()).isEmpty())
                .map(sum -> given.with(sum.headerName(), sum.compute(bytes)))
                .orElse(given);
    }
}
