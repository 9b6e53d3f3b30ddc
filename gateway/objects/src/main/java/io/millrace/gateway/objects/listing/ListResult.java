package io.millrace.gateway.objects.listing;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.freshness.CacheStatus;
import java.util.Optional;

/**
 * A page of a list.
 *
 * @param status how it came; none if it went past the cache
 */
public record ListResult(ListPage page, Optional<CacheStatus> status) {
    /** The fields of an answer that tell it. */
    public HeaderList fields() {
        return status.map(how -> how.on(HeaderList.EMPTY)).orElse(HeaderList.EMPTY);
    }
}
