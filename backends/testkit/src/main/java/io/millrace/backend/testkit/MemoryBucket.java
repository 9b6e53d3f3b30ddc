package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.WriteCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a bucket in memory, in the order S3 lists them, and their older versions. Writes are one at a time, so that a
 * condition and the write under it are one step.
 */
final class MemoryBucket {
    private final Instant created;
    private final boolean versioned;
    private final ConcurrentNavigableMap<ObjectKey, StoredObject> current = new ConcurrentSkipListMap<>();
    private final Map<ObjectKey, List<StoredObject>> all = new ConcurrentHashMap<>();

    MemoryBucket(Instant created, boolean versioned) {
        this.created = created;
        this.versioned = versioned;
    }

    Instant created() {
        return created;
    }

    ConcurrentNavigableMap<ObjectKey, StoredObject> current() {
        return current;
    }

    synchronized void store(ObjectKey key, WriteCondition condition, StoredObject object) {
        MemoryConditions.check(condition, Optional.ofNullable(current.get(key)), key);
        if (versioned) {
            List<StoredObject> more = new ArrayList<>(all.getOrDefault(key, List.of()));
            more.add(object);
            all.put(key, more);
        }
        current.put(key, object);
    }

    /** Deletes what is there; what is not there fulfils every condition. */
    synchronized void remove(ObjectKey key, WriteCondition condition) {
        StoredObject there = current.get(key);
        if (there != null) {
            MemoryConditions.check(condition, Optional.of(there), key);
            current.remove(key);
        }
    }

    /** Deletes one version for good; the newest of the others is the current one then. */
    synchronized void removeVersion(ObjectKey key, String versionId, WriteCondition condition) {
        List<StoredObject> left = new ArrayList<>(all.getOrDefault(key, List.of()));
        Optional<StoredObject> version =
                left.stream().filter(object -> isVersion(object, versionId)).findFirst();
        if (version.isEmpty()) {
            return;
        }
        MemoryConditions.check(condition, version, key);
        left.remove(version.get());
        all.put(key, left);
        if (version.get() == current.get(key)) {
            current.remove(key);
            if (!left.isEmpty()) {
                current.put(key, left.get(left.size() - 1));
            }
        }
    }

    StoredObject find(ObjectKey key, Optional<String> versionId) {
        if (versionId.isEmpty() || (!versioned && versionId.get().equals("null"))) {
            return found(current.get(key), key);
        }
        if (!versioned) {
            throw new BackendException(Kind.UNSUPPORTED, "no versions are kept here");
        }
        return all.getOrDefault(key, List.of()).stream()
                .filter(object -> isVersion(object, versionId.get()))
                .findFirst()
                .orElseThrow(() -> new BackendException(
                        Kind.NO_SUCH_VERSION, "no version %s of %s".formatted(versionId.get(), key)));
    }

    private static boolean isVersion(StoredObject object, String versionId) {
        return object.head().version().versionId().equals(Optional.of(versionId));
    }

    private static StoredObject found(@Nullable StoredObject object, ObjectKey key) {
        if (object == null) {
            throw new BackendException(Kind.NO_SUCH_KEY, "no object " + key + " in memory");
        }
        return object;
    }
}
