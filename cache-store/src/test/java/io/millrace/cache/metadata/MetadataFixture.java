package io.millrace.cache.metadata;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.index.FingerprintHash;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** Creates objects and stores for tests of metadata. */
final class MetadataFixture {
    static final String BACKEND = "test";
    static final BucketName BUCKET = new BucketName("bucket");
    static final VersionFingerprints FINGERPRINTS = new VersionFingerprints(new FingerprintHash(1, 2));
    static final long MEMORY = 32 << 20;

    private MetadataFixture() {}

    static ObjectId id(String key) {
        return ObjectId.current(BACKEND, new ObjectRef(BUCKET, new ObjectKey(key)));
    }

    static ObjectPrefix below(String prefix) {
        return new ObjectPrefix(BACKEND, BUCKET, prefix);
    }

    /** Returns the metadata of an object with numbered content. */
    static ObjectMetadata metadata(ObjectId id, int content) {
        ETag tag = ETag.parse("\"%032x\"".formatted(content));
        ObjectVersion version = ObjectVersion.ofETag(Optional.of(tag), content, Optional.empty());
        ObjectHead head = new ObjectHead(
                version,
                Optional.of(tag),
                Optional.of(Instant.ofEpochSecond(content)),
                HeaderList.EMPTY.with("content-type", "text/plain").with("x-amz-meta-content", "" + content));
        return new ObjectMetadata(
                id, head, 1000 + content, true, false, FINGERPRINTS.of(id, version, 1 << 20), 1 << 20);
    }

    static ObjectMetadata metadata(String key, int content) {
        return metadata(id(key), content);
    }

    /** Stores an entry, after compaction and flushes if they are behind, as the writer of a cache does. */
    static void put(MetadataStore store, ObjectMetadata metadata) {
        Polling.until("it is stored", () -> {
            try {
                store.put(metadata, () -> true);
                return true;
            } catch (CompactionBacklogException behind) {
                return false;
            }
        });
    }

    /** A stale epoch that records nothing. */
    static StaleEpoch epochs(long run) {
        return new StaleEpoch(StaleEpoch.first(run), 0, stale -> {});
    }

    /** A store in two folders below one. */
    static MetadataStore open(Path folder, long run, StaleEpoch epochs) throws IOException {
        return MetadataStore.open(
                folder.resolve("store"),
                folder.resolve("witness"),
                MEMORY,
                new MetadataValueCodec(FINGERPRINTS),
                epochs,
                run);
    }
}
