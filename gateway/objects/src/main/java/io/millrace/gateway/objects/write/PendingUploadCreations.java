package io.millrace.gateway.objects.write;

import io.millrace.backend.spi.object.ObjectRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tracks the multipart uploads that jobs are creating and whose ids are not known yet. S3 offers no mark for an upload,
 * so clients cannot create one for the same key meanwhile, which could be mistaken for the job's. Thread-safe.
 */
public final class PendingUploadCreations {
    /** The longest a backend takes to create an upload; one that appears later is not the job's. */
    public static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final Map<Place, Instant> ends = new ConcurrentHashMap<>();

    private record Place(String backend, ObjectRef object) {}

    /** Records that the creation of an upload starts at {@code now}. */
    public void begin(String backend, ObjectRef object, Instant now) {
        ends.put(new Place(backend, object), now.plus(TIMEOUT));
    }

    /** Ends the creation: its id is known, or it failed. */
    public void end(String backend, ObjectRef object) {
        ends.remove(new Place(backend, object));
    }

    /** Returns whether an upload of that key may be in creation. */
    public boolean contains(String backend, ObjectRef object, Instant now) {
        Instant end = ends.get(new Place(backend, object));
        return end != null && now.isBefore(end);
    }
}
