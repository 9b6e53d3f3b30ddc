package io.millrace.backend.azure;

import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.object.BucketName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers where the pages of ListObjects ended. The service cannot begin a page at a name, so without this each page
 * of a listing by marker would pass over all that came before. A position is used once and within a minute.
 * Thread-safe.
 */
final class ListMarkerCache {
    private static final int MAX_LISTINGS = 256;
    private static final long VALID_NANOS = Duration.ofMinutes(1).toNanos();

    private record Listing(BucketName bucket, String prefix, String delimiter, String marker) {}

    private record Remembered(BlobListPosition position, long since) {}

    private final LongSupplier nanos;

    private final Map<Listing, Remembered> ends = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Listing, Remembered> eldest) {
            return size() > MAX_LISTINGS;
        }
    };

    ListMarkerCache(LongSupplier nanos) {
        this.nanos = nanos;
    }

    synchronized void remember(ListRequest request, String marker, BlobListPosition position) {
        ends.put(listing(request, marker), new Remembered(position, nanos.getAsLong()));
    }

    synchronized Optional<BlobListPosition> take(ListRequest request, String marker) {
        @Nullable Remembered end = ends.remove(listing(request, marker));
        return end == null || nanos.getAsLong() - end.since() > VALID_NANOS
                ? Optional.empty()
                : Optional.of(end.position());
    }

    private static Listing listing(ListRequest request, String marker) {
        return new Listing(request.bucket(), request.prefix(), request.delimiter(), marker);
    }
}
