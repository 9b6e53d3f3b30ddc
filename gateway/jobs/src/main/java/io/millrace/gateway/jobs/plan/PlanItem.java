package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import java.time.Instant;
import java.util.Optional;

/**
 * An object that a job is about.
 *
 * @param name what it is told by: its key as clients name it, or of a download its line of the list
 * @param versionId of the version that is meant; empty if that is the current one
 * @param listed what a list told of it; empty if its name is all that is known, or if it is not there
 * @param there what a list of the target told, if one was looked at
 * @param position where a plan goes on behind it
 */
public record PlanItem(
        String name, Optional<String> versionId, Optional<Listed> listed, Optional<There> there, String position) {
    /** What a list tells of an object. */
    public record Listed(long size, Optional<ETag> eTag, Instant lastModified) {
        /** The same as a head tells it; one without a date is older than all. */
        public static Listed of(ObjectHead head) {
            return new Listed(head.size(), head.eTag(), head.lastModified().orElse(Instant.EPOCH));
        }
    }

    /** What the target has under the name that the object will have there; empty if nothing. */
    public record There(Optional<Listed> listed) {}

    /** One of which the target is not known. */
    public PlanItem(ObjectKey key, Optional<Listed> listed, String position) {
        this(key.value(), Optional.empty(), listed, Optional.empty(), position);
    }

    /** One of which a line is known. */
    public PlanItem(String line, String position) {
        this(line, Optional.empty(), Optional.empty(), Optional.empty(), position);
    }

    /**
     * The key as clients name it.
     *
     * @throws IllegalArgumentException if its name is none
     */
    public ObjectKey key() {
        return new ObjectKey(name);
    }

    /** Tells it from all others of its plan. */
    public String identity() {
        return versionId.map(version -> name + '\0' + version).orElse(name);
    }

    /** Bytes of it; 0 if they are not known. */
    public long size() {
        return listed.map(Listed::size).orElse(0L);
    }

    /** Whether only the target has it. */
    public boolean isExtra() {
        return there.isPresent() && listed.isEmpty();
    }
}
