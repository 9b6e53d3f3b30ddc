package io.millrace.cache.group;

import io.millrace.cache.metadata.ObjectPrefix;
import java.util.Optional;

/**
 * Objects of which it is counted what is cached.
 *
 * @param share what their blocks may take at most; all of the cache if empty
 */
public record CountedObjects(ObjectPrefix objects, Optional<CapacityShare> share) {
    /** Some whose blocks may take whatever there is. */
    public static CountedObjects of(ObjectPrefix objects) {
        return new CountedObjects(objects, Optional.empty());
    }
}
