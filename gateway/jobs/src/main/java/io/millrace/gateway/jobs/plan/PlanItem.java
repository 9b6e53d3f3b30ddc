package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * One object that a job is to work on, with what the listings of source and target say of it.
 *
 * @param name the key as clients name it, or the line of a download's list
 * @param versionId of the selected version; empty for the current one
 * @param listed from the listing; empty if only the name is known, or if the source lacks the object
 * @param there from the target's listing; empty if the target was not listed
 * @param position at which a plan continues after this item
 */
public record PlanItem(
        String name, Optional<String> versionId, Optional<Listed> listed, Optional<There> there, String position) {
    /** An object as a listing shows it. */
    public record Listed(long size, Optional<ETag> eTag, Instant lastModified) {
        /** Converts object metadata; an object without a date counts as oldest. */
        public static Listed of(ObjectHead head) {
            return new Listed(head.size(), head.eTag(), head.lastModified().orElse(Instant.EPOCH));
        }

        /** Returns true if both are of one version with the same metadata. A listing may have fractions of seconds. */
        public boolean isSame(Listed other) {
            return size == other.size
                    && eTag.isPresent()
                    && eTag.equals(other.eTag)
                    && lastModified
                            .truncatedTo(ChronoUnit.SECONDS)
                            .equals(other.lastModified.truncatedTo(ChronoUnit.SECONDS));
        }
    }

    /** The object in the target that this one would replace; empty if there is none. */
    public record There(Optional<Listed> listed) {}

    /** Creates an item whose target is unknown. */
    public PlanItem(ObjectKey key, Optional<Listed> listed, String position) {
        this(key.value(), Optional.empty(), listed, Optional.empty(), position);
    }

    /** Creates an item of a line. */
    public PlanItem(String line, String position) {
        this(line, Optional.empty(), Optional.empty(), Optional.empty(), position);
    }

    /**
     * Returns the key as clients name it.
     *
     * @throws IllegalArgumentException if the name is no key
     */
    public ObjectKey key() {
        return new ObjectKey(name);
    }

    /** Returns the identity of the item within its plan. */
    public String identity() {
        return versionId.map(version -> name + '\0' + version).orElse(name);
    }

    /** Returns the size in bytes; 0 if unknown. */
    public long size() {
        return listed.map(Listed::size).orElse(0L);
    }

    /** Returns true if only the target has the object. */
    public boolean isExtra() {
        return there.isPresent() && listed.isEmpty();
    }
}
