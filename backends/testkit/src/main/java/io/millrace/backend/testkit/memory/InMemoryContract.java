package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.contract.BackendContract;
import java.util.List;
import java.util.Set;

/** The contract of a backend in memory, or of one that wraps it. */
public abstract class InMemoryContract extends BackendContract {
    protected final BucketName bucket = new BucketName("memory");
    protected final InMemoryBackend objects;

    protected InMemoryContract(Set<Capability> capabilities) {
        this(new InMemoryBackend(capabilities));
    }

    protected InMemoryContract(InMemoryBackend backend) {
        objects = backend.createBucket(bucket);
    }

    @Override
    public Backend backend() {
        return objects;
    }

    @Override
    public BucketName bucket() {
        return bucket;
    }

    @Override
    public void seed(ObjectKey key, byte[] bytes, HeaderList headers) {
        objects.store(new ObjectRef(bucket, key), bytes, headers);
    }

    @Override
    public void remove(ObjectKey key) {
        objects.remove(new ObjectRef(bucket, key));
    }

    @Override
    public void seedParts(ObjectKey key, List<byte[]> parts) {
        objects.storeParts(new ObjectRef(bucket, key), parts);
    }

    @Override
    public void seedVersions(ObjectKey key, List<byte[]> contents) {
        contents.forEach(bytes -> seed(key, bytes, HeaderList.EMPTY));
    }
}
