package io.millrace.gateway.read;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A gateway in front of an origin, started for the cases of a suite and stopped after them. A subclass says what the
 * origin is.
 */
@ExtendWith(BufferLeakExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class GatewaySuite {
    private OriginFixture origin;
    private TestGateway gateway;
    private S3Client sdk;

    /** Connects to what is behind the gateway, or skips the class. */
    protected abstract OriginFixture connect() throws Exception;

    /** Starts the gateway in front of it. */
    protected abstract TestGateway serve(Backend backend) throws IOException;

    /** Ends what {@link #connect} began. */
    protected void disconnect() {}

    @BeforeAll
    @SuppressWarnings("NullAway.Init")
    void start() throws Exception {
        origin = connect();
        gateway = serve(origin.backend());
        sdk = S3OriginFixture.client(gateway.endpoint(), TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
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

    public OriginFixture origin() {
        return origin;
    }

    public TestGateway gateway() {
        return gateway;
    }

    /** The SDK's client, speaking to the gateway. */
    public S3Client sdk() {
        return sdk;
    }
}
