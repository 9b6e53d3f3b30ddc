package io.millrace.gateway.freshness;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListPage;
import java.util.Optional;

/**
 * A page of a list.
 *
 * @param status how it came; none if it went past the cache
 */
public record Listed(ListPage page, Optional<CacheStatus> status) {
    /** The fields of an answer that tell it. */
    public HeaderList fields() {
        return status.map(how -> how.on(HeaderList.EMPTY)).orElse(HeaderList.EMPTY);
    }
}
