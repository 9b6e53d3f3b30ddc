package io.millrace.backend.file;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.testkit.BackendContract;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Plain files are a backend like any other: every case of the contract, every name of the torture list. */
class FileBackendContractTest extends BackendContract {
    private final BucketName bucket = new BucketName("bucket");

    private Path root = Path.of("");
    private FileBackend backend = new FileBackend("none", root);
    private FileWriter writer = new FileWriter(root);

    @BeforeEach
    void makeBucket() throws IOException {
        root = Files.createTempDirectory("contract");
        backend = new FileBackend("contract", root);
        writer = new FileWriter(root);
        writer.createBucket(bucket);
    }

    @AfterEach
    void nothingStaysOpen() throws IOException {
        Waiting.until("all files are closed", () -> backend.openFiles() == 0);
        backend.close().block();
        // JUnit's own temporary folders take a minute to delete a tree that is 1,000 folders deep.
        Trees.delete(root);
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
        try {
            writer.write(new ObjectRef(bucket, key), headers, new ByteArrayInputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(key.value(), e);
        }
    }

    @Override
    public void remove(ObjectKey key) {
        try {
            writer.delete(new ObjectRef(bucket, key));
        } catch (IOException e) {
            throw new UncheckedIOException(key.value(), e);
        }
    }
}
