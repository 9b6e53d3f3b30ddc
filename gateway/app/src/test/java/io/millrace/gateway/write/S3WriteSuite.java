package io.millrace.gateway.write;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.TestGateway;
import io.millrace.gateway.read.OriginFixture;
import io.millrace.gateway.read.S3OriginFixture;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * What a client of S3 may rely on when it writes through the gateway. A subclass says what is behind it and inherits the cases;
 * {@link OptionalFeature} chooses among them. A case that is left out is one that the backend itself would fail.
 */
@ExtendWith(BufferLeakExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class S3WriteSuite
        implements PutCases,
                WriteChecksumCases,
                BrokenBodyCases,
                ConditionalWriteCases,
                CopyObjectCases,
                DeleteObjectCases,
                MultipartUploadCases,
                FormCases {
    private OriginFixture origin;
    private TestGateway gateway;
    private S3Client sdk;
    private String bucket;

    /** Connects to what is behind the gateway, or skips the class. */
    abstract OriginFixture connect() throws Exception;

    /** The buckets of the gateway in front of it. */
    TestGateway.Builder serve(TestGateway.Builder gateway, Backend backend) throws IOException {
        return gateway.bucket("*", backend);
    }

    /** Ends what {@link #connect} began. */
    void disconnect() {}

    @Override
    public Set<OptionalFeature> abilities() {
        return EnumSet.allOf(OptionalFeature.class);
    }

    @BeforeAll
    @SuppressWarnings("NullAway.Init")
    void start() throws Exception {
        origin = connect();
        InMemoryBackend other = new InMemoryBackend(
                EnumSet.of(Capability.WRITE, Capability.CONDITIONAL_WRITE, Capability.MULTIPART, Capability.CHECKSUMS));
        other.createBucket(new BucketName(ACROSS));
        TestGateway.Builder builder = TestGateway.builder()
                .identity("restricted", RESTRICTED_KEY, RESTRICTED_SECRET, "read,list,write,delete:*/free/*")
                .bucket(ACROSS, other);
        gateway = serve(builder, origin.backend()).start();
        sdk = S3OriginFixture.client(gateway.endpoint(), TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
        bucket = newBucket();
    }

    @AfterAll
    void stop() throws IOException {
        if (sdk == null) {
            return; // skipped
        }
        sdk.close();
        gateway.close();
        origin.close();
        disconnect();
    }

    @Override
    public OriginFixture origin() {
        return origin;
    }

    @Override
    public TestGateway gateway() {
        return gateway;
    }

    @Override
    public S3Client sdk() {
        return sdk;
    }

    @Override
    public String bucket() {
        return bucket;
    }
}
