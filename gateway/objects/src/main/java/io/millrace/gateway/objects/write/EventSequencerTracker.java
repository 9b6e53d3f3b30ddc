package io.millrace.gateway.objects.write;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.cache.metadata.ObjectId;
import java.util.Locale;
import java.util.Objects;

/**
 * Remembers the sequencer of the last processed change event of each object, so that older ones are ignored. After a
 * start, and for objects whose last event was evicted, an outdated event costs a revalidation. Thread-safe.
 *
 * <p>S3's documentation has padded shorter sequencers with zeros on the right at one time and on the left at another;
 * servers write them all of one length. Sequencers of different lengths are unordered here.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html">Event
 *     message structure</a>
 */
final class EventSequencerTracker {
    /** The maximum heap memory: some 50,000 objects. */
    private static final long MOST_BYTES = 32 << 20;

    private final Cache<ObjectId, EventSequencerValue> last = Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher(EventSequencerTracker::weight)
            .build();

    /** Returns whether an event may be newer than the last processed one. */
    boolean isNew(ObjectId id, EventSequencerValue event) {
        EventSequencerValue latest = last.getIfPresent(id);
        return latest == null || !(isBefore(event, latest) || isSame(event, latest));
    }

    void processed(ObjectId id, EventSequencerValue event) {
        last.asMap().merge(id, event, (latest, now) -> isBefore(now, latest) ? latest : now);
    }

    private static boolean isBefore(EventSequencerValue event, EventSequencerValue other) {
        return event.sequencer().length() == other.sequencer().length()
                && normal(event).compareTo(normal(other)) < 0;
    }

    private static boolean isSame(EventSequencerValue event, EventSequencerValue other) {
        return normal(event).equals(normal(other)) && event.identity().equals(other.identity());
    }

    static int weight(ObjectId id, EventSequencerValue event) {
        return 400
                + 2
                        * (Objects.requireNonNull(id).characters()
                                + event.sequencer().length()
                                + event.identity().length());
    }

    private static String normal(EventSequencerValue event) {
        return event.sequencer().toUpperCase(Locale.ROOT);
    }
}
