package io.millrace.gateway.cluster;

import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.OwnershipHash;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The other members that have written objects last, as they have announced: they may have kept the bytes. A hint, and
 * of the latest objects only: who follows it in vain asks the backend. Takes some 2 MiB at most. Thread-safe.
 */
final class LastWriters {
    /** Of twice so many objects that were written lately some 45,000 are known. */
    private static final int SLOTS = 1 << 16;

    private final AtomicReferenceArray<@Nullable LastWrite> writes = new AtomicReferenceArray<>(SLOTS);

    /** @param object its number */
    private record LastWrite(long object, String member) {}

    /** Notes what another member has announced. */
    void note(AnnouncementBatch batch) {
        // Each message brings a copy of the name, of which members have few: 65,536 copies would take some 5 MiB.
        String member = batch.member().intern();
        for (Announcement announcement : batch.announcements()) {
            if (announcement instanceof Announcement.Written written && written.acknowledged()) {
                written.ids().forEach(id -> note(id, member));
            }
        }
    }

    private void note(ObjectId id, String member) {
        if (id.versionId().isEmpty()) {
            long object = number(id);
            writes.set(slot(object), new LastWrite(object, member));
        }
    }

    /** Returns which other member has written an object last; empty if that is not known. */
    Optional<String> of(ObjectId id) {
        return id.versionId().isPresent()
                ? Optional.empty()
                : Optional.ofNullable(known(number(id))).map(LastWrite::member);
    }

    /** Notes that a member has not what it has written. */
    void forget(ObjectId id, String member) {
        long object = number(id);
        @Nullable LastWrite known = known(object);
        if (known != null && known.member().equals(member)) {
            writes.compareAndSet(slot(object), known, null);
        }
    }

    private @Nullable LastWrite known(long object) {
        @Nullable LastWrite last = writes.get(slot(object));
        return last != null && last.object() == object ? last : null;
    }

    private static long number(ObjectId id) {
        return OwnershipHash.of(id.backend(), id.object());
    }

    private static int slot(long object) {
        return (int) (object & (SLOTS - 1));
    }
}
