package io.millrace.gateway.objects.write;

import io.millrace.backend.spi.object.ObjectRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Uploads in parts that jobs are beginning and whose ids are not known yet. S3 lets nobody mark an upload, so while one lasts no client
 * begins another of that key, which could be taken for it. Safe for use by any number of threads.
 */
public final class PendingUploadCreations {
    /** Longer than a backend takes to begin an upload; what appears later is not the job's. */
    public static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Map<Place, Instant> ends = new ConcurrentHashMap<>();

    private record Place(String backend, ObjectRef object) {}

    /** Notes that an upload is being begun, from {@code now} on. */
    public void begin(String backend, ObjectRef object, Instant now) {
        ends.put(new Place(backend, object), now.plus(PATIENCE));
    }

    /** Forgets it: its id is known, or there is none. */
    public void end(String backend, ObjectRef object) {
        ends.remove(new Place(backend, object));
    }

    /** Tells if an upload of that key may be being begun. */
    public boolean contains(String backend, ObjectRef object, Instant now) {
        Instant end = ends.get(new Place(backend, object));
        return end != null && now.isBefore(end);
    }
}
