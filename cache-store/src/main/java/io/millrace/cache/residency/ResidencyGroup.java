package io.millrace.cache.residency;

import io.millrace.cache.metadata.ObjectPrefix;
import java.util.Optional;

/**
 * A bucket or prefix whose cached bytes are counted and may have a quota.
 *
 * @param quota the most bytes of their blocks; the whole cache if empty
 */
public record ResidencyGroup(ObjectPrefix objects, Optional<QuotaSize> quota) {
    /** Returns a group without a quota. */
    public static ResidencyGroup of(ObjectPrefix objects) {
        return new ResidencyGroup(objects, Optional.empty());
    }
}
