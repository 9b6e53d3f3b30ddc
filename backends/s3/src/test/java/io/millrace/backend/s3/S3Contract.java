package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.testkit.BackendContract;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** The contract over one real server, with a bucket of its own for each case. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class S3Contract extends BackendContract {
    private Seeder seeder;
    private Backend backend;
    private String bucket;

    /** The server, running. */
    abstract S3Server server() throws Exception;

    @BeforeAll
    void connect() throws Exception {
        S3Server server = server();
        seeder = new Seeder(server);
        backend = backend(server);
    }

    @AfterAll
    void disconnect() {
        backend.close().block();
        seeder.close();
    }

    @BeforeEach
    void makeBucket() {
        bucket = seeder.createBucket();
    }

    @AfterEach
    void deleteBucket() {
        seeder.deleteBucket(bucket);
    }

    Backend backend(S3Server server) {
        return server.backend();
    }

    final Seeder seeder() {
        return seeder;
    }

    @Override
    public Backend backend() {
        return backend;
    }

    @Override
    public BucketName bucket() {
        return new BucketName(bucket);
    }

    @Override
    public void seed(ObjectKey key, byte[] bytes, HeaderList headers) {
        seeder.put(bucket, key.value(), bytes, headers);
    }

    @Override
    public void remove(ObjectKey key) {
        seeder.delete(bucket, key.value());
    }

    @Override
    public void seedParts(ObjectKey key, List<byte[]> parts) {
        seeder.putParts(bucket, key.value(), parts);
    }

    @Override
    public void seedVersions(ObjectKey key, List<byte[]> contents) {
        seeder.keepVersions(bucket);
        contents.forEach(bytes -> seed(key, bytes, HeaderList.EMPTY));
    }
}
