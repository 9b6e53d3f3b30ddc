package io.millrace.backend.testkit;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;

/** The fake must be as good as what it stands for, and the contract must be one that something plain fulfils. */
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
