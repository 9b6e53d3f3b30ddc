package io.millrace.gateway.read;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.gateway.TestGateway;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * What a client of S3 may rely on when it reads through the gateway. A subclass says what is behind it and inherits the
 * cases; {@link OriginFixture#traits} chooses among them. Objects are put behind the gateway's back, so that no fault of it or of its
 * backends is on both sides.
 */
@ExtendWith(BufferLeakExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class S3ReadSuite
        implements ObjectCases,
                ReadRangeCases,
                ReadPartCases,
                ReadConditionCases,
                HeaderCases,
                ReadChecksumCases,
                ErrorCases,
                ListV2Cases,
                ListV1Cases,
                PagingCases,
                ReadKeyCases,
                HeadBucketCases,
                MappedBucketCases,
                LoadCases {
    private OriginFixture origin;
    private TestGateway gateway;
    private S3Client sdk;
    private String bucket;

    /** Connects to what is behind the gateway, or skips the class. */
    abstract OriginFixture connect() throws Exception;

    /** The gateway in front of it. */
    TestGateway serve(Backend backend) throws IOException {
        return TestGateway.over(backend);
    }

    /** Ends what {@link #connect} began. */
    void disconnect() {}

    @BeforeAll
    @SuppressWarnings("NullAway.Init")
    void start() throws Exception {
        origin = connect();
        gateway = serve(origin.backend());
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
