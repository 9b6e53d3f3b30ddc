package io.millrace.backend.testkit.contract;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import java.util.List;
import java.util.Set;

/** Runs the contract on an in-memory backend that supports all writes, without versions. */
class WritableInMemoryBackendTest extends BackendContract {
    private final BucketName bucket = new BucketName("writable");
    private final InMemoryBackend backend = new InMemoryBackend(Set.of(
                    Capability.WRITE,
                    Capability.CONDITIONAL_WRITE,
                    Capability.MULTIPART,
                    Capability.COPY,
                    Capability.PARTS,
                    Capability.CHECKSUMS))
            .createBucket(bucket);

    @Override
    public Backend backend() {
        return backend;
    }

    @Override
    public BucketName bucket() {
        return bucket;
    }

    @Override
    public void seed(ObjectKey key, byte[] bytes, HeaderList headers) {
        backend.store(new ObjectRef(bucket, key), bytes, headers);
    }

    @Override
    public void remove(ObjectKey key) {
        backend.remove(new ObjectRef(bucket, key));
    }

    @Override
    public void seedParts(ObjectKey key, List<byte[]> parts) {
        backend.storeParts(new ObjectRef(bucket, key), parts);
    }
}
