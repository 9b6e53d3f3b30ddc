package io.millrace.backend.testkit.server;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.contract.BackendContract;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.backend.testkit.data.UploadBodies;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/**
 * The contract of a backend whose server runs beside the tests: each test gets a bucket that the backend itself creates
 * and fills.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class CreatedBucketContract extends BackendContract {
    private Backend backend;
    private BucketName bucket;

    /** Opens the backend, for all tests of the class; it is closed after them. */
    protected abstract Backend connect() throws IOException;

    @BeforeAll
    void open() throws IOException {
        backend = connect();
    }

    @AfterAll
    void close() {
        backend.close().block();
    }

    @BeforeEach
    void createBucket() {
        bucket = new BucketName("millrace-" + UUID.randomUUID());
        backend.createBucket(NewBucket.of(bucket)).block();
    }

    @AfterEach
    void deleteBucket() {
        ListedPages.readAll(backend, ListedPages.request(bucket, "", "", ListRequest.MAX_KEYS))
                .keys()
                .forEach(key -> remove(new ObjectKey(key)));
        backend.deleteBucket(bucket).block();
    }

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
        backend.put(new NewObject(new ObjectRef(bucket, key), headers, WriteCondition.ALWAYS), UploadBodies.of(bytes))
                .block();
    }

    @Override
    public void remove(ObjectKey key) {
        backend.delete(Deletion.of(new ObjectRef(bucket, key)), HeaderList.EMPTY)
                .block();
    }
}
