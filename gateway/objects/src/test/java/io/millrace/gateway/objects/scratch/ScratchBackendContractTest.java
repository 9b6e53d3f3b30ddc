package io.millrace.gateway.objects.scratch;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.contract.BackendContract;
import io.millrace.backend.testkit.data.UploadBodies;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Runs the backend contract on a scratch bucket. */
class ScratchBackendContractTest extends BackendContract {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private ScratchFixture scratch;

    @BeforeEach
    void open() throws IOException {
        scratch = ScratchFixture.in(folder);
    }

    @AfterEach
    void close() {
        scratch.close();
    }

    @Override
    public Backend backend() {
        return scratch.backend();
    }

    @Override
    public BucketName bucket() {
        return ScratchFixture.BUCKET;
    }

    @Override
    public void seed(ObjectKey key, byte[] bytes, HeaderList headers) {
        NewObject object = new NewObject(new ObjectRef(bucket(), key), headers, WriteCondition.ALWAYS);
        backend().put(object, UploadBodies.of(bytes)).block(ScratchFixture.TIMEOUT);
    }

    @Override
    public void remove(ObjectKey key) {
        backend()
                .delete(Deletion.of(new ObjectRef(bucket(), key)), HeaderList.EMPTY)
                .block(ScratchFixture.TIMEOUT);
    }

    /** As the cache reads it from its disks. */
    @Override
    public int largestPiece() {
        return 256 << 10;
    }

    @Override
    public boolean hasMd5Tags() {
        return false;
    }

    /** The settings make the bucket, and no client another. */
    @Override
    public void bucketIsMadeUsedAndDeleted() {}

    @Override
    public void bucketThatHoldsSomethingStays() {}

    @Override
    public void missingBucketIsNotDeleted() {}

    @Override
    public void deletedBucketComesBackEmpty() {}
}
