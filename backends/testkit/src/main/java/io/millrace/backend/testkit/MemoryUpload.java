package io.millrace.backend.testkit;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** An upload that was begun, with the parts it has so far. */
record MemoryUpload(String id, NewObject object, Instant initiated, NavigableMap<Integer, Part> parts) {
    MemoryUpload(String id, NewObject object, Instant initiated) {
        this(id, object, initiated.truncatedTo(ChronoUnit.SECONDS), new TreeMap<>());
    }

    /** A part; its bytes are not copied, and nobody writes to them. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Part(int number, byte[] bytes, ETag tag, Instant stored, HeaderList sums) {
        ListedPart listed() {
            return new ListedPart(number, tag, bytes.length, stored.truncatedTo(ChronoUnit.SECONDS), sums);
        }
    }

    /** The checksum its object is to have. */
    Optional<Sums> sum() {
        return object.headers().first("x-amz-checksum-algorithm").map(Sums::valueOf);
    }

    /** Whether that is a checksum of the parts' checksums. */
    boolean isComposite() {
        boolean byDefault = sum().map(sum -> sum != Sums.CRC64NVME).orElse(false);
        return object.headers()
                .first("x-amz-checksum-type")
                .map("COMPOSITE"::equals)
                .orElse(byDefault);
    }

    HeaderList checksumFields() {
        return sum().map(sum -> HeaderList.EMPTY
                        .with("x-amz-checksum-algorithm", sum.name())
                        .with("x-amz-checksum-type", isComposite() ? "COMPOSITE" : "FULL_OBJECT"))
                .orElse(HeaderList.EMPTY);
    }

    /** The checksums of a part: as given, and the one that its upload wants. */
    HeaderList sums(byte[] bytes, HeaderList given) {
        return sum().filter(sum -> given.first(sum.field()).isEmpty())
                .map(sum -> given.with(sum.field(), sum.of(bytes)))
                .orElse(given);
    }
}
