package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ObjectKey;
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
 * The objects of a bucket in memory, in listing order, and their older versions. Writes are serialized, so that
 * checking a condition and writing is one step.
 */
final class MemoryBucket {
    private final Instant created;
    private final boolean versioned;
    private final ConcurrentNavigableMap<ObjectKey, MemoryObject> current = new ConcurrentSkipListMap<>();
    private final Map<ObjectKey, List<MemoryObject>> all = new ConcurrentHashMap<>();

    MemoryBucket(Instant created, boolean versioned) {
        this.created = created;
        this.versioned = versioned;
    }

    Instant created() {
        return created;
    }

    ConcurrentNavigableMap<ObjectKey, MemoryObject> current() {
        return current;
    }

    synchronized void store(ObjectKey key, WriteCondition condition, MemoryObject object) {
        MemoryWriteConditions.check(condition, Optional.ofNullable(current.get(key)), key);
        if (versioned) {
            List<MemoryObject> more = new ArrayList<>(all.getOrDefault(key, List.of()));
            more.add(object);
            all.put(key, more);
        }
        current.put(key, object);
    }

    /** Deletes an object; a missing one fulfils every condition. */
    synchronized void remove(ObjectKey key, WriteCondition condition) {
        MemoryObject there = current.get(key);
        if (there != null) {
            MemoryWriteConditions.check(condition, Optional.of(there), key);
            current.remove(key);
        }
    }

    /** Deletes one version permanently; the newest of the others becomes the current one. */
    synchronized void removeVersion(ObjectKey key, String versionId, WriteCondition condition) {
        List<MemoryObject> left = new ArrayList<>(all.getOrDefault(key, List.of()));
        Optional<MemoryObject> version =
                left.stream().filter(object -> isVersion(object, versionId)).findFirst();
        if (version.isEmpty()) {
            return;
        }
        MemoryWriteConditions.check(condition, version, key);
        left.remove(version.get());
        all.put(key, left);
        if (version.get() == current.get(key)) {
            current.remove(key);
            if (!left.isEmpty()) {
                current.put(key, left.get(left.size() - 1));
            }
        }
    }

    MemoryObject find(ObjectKey key, Optional<String> versionId) {
        if (versionId.isEmpty() || (!versioned && versionId.get().equals("null"))) {
            return found(current.get(key), key);
        }
        if (!versioned) {
            throw new BackendException(FailureKind.UNSUPPORTED, "no versions are kept here");
        }
        return all.getOrDefault(key, List.of()).stream()
                .filter(object -> isVersion(object, versionId.get()))
                .findFirst()
                .orElseThrow(() -> new BackendException(
                        FailureKind.NO_SUCH_VERSION, "no version %s of %s".formatted(versionId.get(), key)));
    }

    private static boolean isVersion(MemoryObject object, String versionId) {
        return object.head().version().versionId().equals(Optional.of(versionId));
    }

    private static MemoryObject found(@Nullable MemoryObject object, ObjectKey key) {
        if (object == null) {
            throw new BackendException(FailureKind.NO_SUCH_KEY, "no object " + key + " in memory");
        }
        return object;
    }
}
