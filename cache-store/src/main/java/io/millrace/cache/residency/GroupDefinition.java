package io.millrace.cache.residency;

import io.millrace.cache.metadata.ObjectPrefix;
import java.util.Optional;

/**
 * Objects of which it is counted what is cached.
 *
 * @param share what their blocks may take at most; all of the cache if empty
 */
public record GroupDefinition(ObjectPrefix objects, Optional<QuotaSize> share) {
    /** Some whose blocks may take whatever there is. */
    public static GroupDefinition of(ObjectPrefix objects) {
        return new GroupDefinition(objects, Optional.empty());
    }
}
