package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ObjectKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** The objects of a bucket in memory, in the order S3 lists them, and their older versions. */
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

    void store(ObjectKey key, StoredObject object) {
        if (versioned) {
            all.compute(key, (k, older) -> {
                List<StoredObject> more = older == null ? new ArrayList<>() : new ArrayList<>(older);
                more.add(object);
                return more;
            });
        }
        current.put(key, object);
    }

    void remove(ObjectKey key) {
        current.remove(key);
    }

    StoredObject find(ObjectKey key, Optional<String> versionId) {
        if (versionId.isEmpty() || (!versioned && versionId.get().equals("null"))) {
            return found(current.get(key), key);
        }
        if (!versioned) {
            throw new BackendException(Kind.UNSUPPORTED, "no versions are kept here");
        }
        return all.getOrDefault(key, List.of()).stream()
                .filter(object -> object.head().version().versionId().equals(versionId))
                .findFirst()
                .orElseThrow(() -> new BackendException(
                        Kind.NO_SUCH_VERSION, "no version %s of %s".formatted(versionId.get(), key)));
    }

    private static StoredObject found(@Nullable StoredObject object, ObjectKey key) {
        if (object == null) {
            throw new BackendException(Kind.NO_SUCH_KEY, "no object " + key + " in memory");
        }
        return object;
    }
}
