package io.millrace.gateway.write;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.read.GatewaySuite;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;

/**
 * What a client of S3 may rely on when it writes through the gateway. A subclass says what is behind it and inherits
 * the cases; {@link OptionalFeature} chooses among them. A case that is left out is one that the backend itself would
 * fail.
 */
abstract class S3WriteSuite extends GatewaySuite
        implements PutCases,
                WriteChecksumCases,
                BrokenBodyCases,
                ConditionalWriteCases,
                CopyObjectCases,
                DeleteObjectCases,
                MultipartUploadCases,
                FormCases {
    private String bucket;

    /** The buckets of the gateway in front of the origin. */
    TestGateway.Builder serve(TestGateway.Builder gateway, Backend backend) throws IOException {
        return gateway.bucket("*", backend);
    }

    @Override
    protected TestGateway serve(Backend backend) throws IOException {
        InMemoryBackend other = new InMemoryBackend(
                EnumSet.of(Capability.WRITE, Capability.CONDITIONAL_WRITE, Capability.MULTIPART, Capability.CHECKSUMS));
        other.createBucket(new BucketName(ACROSS));
        TestGateway.Builder builder = TestGateway.builder()
                .identity("restricted", RESTRICTED_KEY, RESTRICTED_SECRET, "read,list,write,delete:*/free/*")
                .bucket(ACROSS, other);
        return serve(builder, backend).start();
    }

    @Override
    public Set<OptionalFeature> abilities() {
        return EnumSet.allOf(OptionalFeature.class);
    }

    @BeforeAll
    @SuppressWarnings("NullAway.Init")
    void makeBucket() {
        bucket = newBucket();
    }

    @Override
    public String bucket() {
        return bucket;
    }
}
