package io.millrace.backend.file;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.contract.BackendContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Runs the backend contract, with all difficult keys, on plain files. */
class FileBackendContractTest extends BackendContract {
    private final BucketName bucket = new BucketName("bucket");

    private Path root = Path.of("");
    private FileBackend backend = new FileBackend("none", root);

    @BeforeEach
    void makeBucket() throws IOException {
        root = Files.createTempDirectory("contract");
        backend = new FileBackend("contract", root);
        backend.createBucket(NewBucket.of(bucket)).block();
    }

    @AfterEach
    void nothingStaysOpen() {
        Polling.until("all files are closed", () -> backend.openFiles() == 0);
        backend.close().block();
        // JUnit's own temporary folders take a minute to delete a tree that is 1,000 folders deep.
        RecursiveDelete.delete(root);
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
        NewObject object = new NewObject(new ObjectRef(bucket, key), headers, WriteCondition.ALWAYS);
        backend.put(object, FileUploadBodies.of(bytes)).block();
    }

    @Override
    public void remove(ObjectKey key) {
        backend.delete(Deletion.of(new ObjectRef(bucket, key)), HeaderList.EMPTY)
                .block();
    }

    @Override
    public void seedParts(ObjectKey key, List<byte[]> parts) {
        NewObject object = new NewObject(new ObjectRef(bucket, key), HeaderList.EMPTY, WriteCondition.ALWAYS);
        MultipartUpload upload =
                Objects.requireNonNull(backend.createUpload(object).block()).upload();
        List<CompletedPart> named = new ArrayList<>();
        for (byte[] part : parts) {
            StoredPart stored = Objects.requireNonNull(
                    backend.putPart(upload, named.size() + 1, HeaderList.EMPTY, FileUploadBodies.of(part))
                            .block());
            named.add(new CompletedPart(stored.number(), stored.eTag(), HeaderList.EMPTY));
        }
        backend.completeUpload(upload, named, HeaderList.EMPTY, WriteCondition.ALWAYS)
                .block();
    }
}
