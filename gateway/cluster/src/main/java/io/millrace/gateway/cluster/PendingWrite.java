package io.millrace.gateway.cluster;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Sinks;

/** An announced change, and who has not acknowledged it yet. Guarded by the lock of {@link AnnouncedWrites}. */
final class PendingWrite {
    final Announcement announcement;
    final boolean strong;
    final long announcedAt;

    /** How much of a message it takes: counted once, since a deletion may name thousands of keys. */
    final int characters;

    /** The members that have not acknowledged it, each with its session when it was announced; null if it had none. */
    final Map<String, @Nullable SessionId> unacknowledged = new HashMap<>();

    /** The numbers under which members that were not waited for have missed it. */
    final Map<String, Long> missed = new HashMap<>();

    final Sinks.Empty<Void> done = Sinks.empty();

    PendingWrite(Announcement announcement, boolean strong, long announcedAt) {
        this.announcement = announcement;
        this.strong = strong;
        this.announcedAt = announcedAt;
        this.characters = PeerCodec.characters(announcement);
    }
}
