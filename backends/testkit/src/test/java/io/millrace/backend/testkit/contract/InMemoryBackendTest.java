package io.millrace.backend.testkit.contract;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;

/**
 * Runs the contract on the read-only in-memory backend: the fake is as strict as a real one, and a simple backend can fulfil
 * the contract.
 */
class InMemoryBackendTest extends BackendContract {
    private final BucketName bucket = new BucketName("memory");
    private final InMemoryBackend backend = new InMemoryBackend().createBucket(bucket);

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
}
