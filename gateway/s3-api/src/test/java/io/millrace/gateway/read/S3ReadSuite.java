package io.millrace.gateway.read;

import io.millrace.backend.spi.Backend;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;

/**
 * What a client of S3 may rely on when it reads through the gateway. A subclass says what is behind it and inherits the
 * cases; {@link OriginFixture#traits} chooses among them. Objects are put behind the gateway's back, so that no fault
 * of it or of its backends is on both sides.
 */
abstract class S3ReadSuite extends GatewaySuite
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
    private String bucket;

    @Override
    protected TestGateway serve(Backend backend) throws IOException {
        return TestGateway.over(backend);
    }

    @BeforeAll
    @SuppressWarnings("NullAway.Init")
    void makeBucket() throws IOException {
        bucket = newBucket();
    }

    @Override
    public String bucket() {
        return bucket;
    }
}
