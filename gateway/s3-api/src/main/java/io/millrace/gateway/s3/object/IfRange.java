package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ETag;
import io.millrace.kit.HttpDate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The {@code If-Range} condition: the range applies only to the version with this tag or modification time.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5">RFC 9110, 13.1.5</a>
 */
record IfRange(Optional<ETag> tag, Optional<Instant> date) {
    static IfRange parse(String header) {
        Optional<Instant> date = HttpDate.parse(header);
        return new IfRange(date.isPresent() ? Optional.empty() : Optional.of(ETag.parse(header)), date);
    }

    /** Returns the condition on an object of which two contents may have the same date: a date holds for none. */
    IfRange byTag() {
        return date.isPresent() ? new IfRange(tag, Optional.of(Instant.MIN)) : this;
    }

    /** Returns whether the object matches, byte for byte. */
    boolean holds(ObjectHead head) {
        if (tag.isPresent()) {
            return head.eTag().filter(tag.get()::matchesStrongly).isPresent();
        }
        return head.lastModified()
                .map(written -> written.truncatedTo(ChronoUnit.SECONDS))
                .equals(date);
    }
}
