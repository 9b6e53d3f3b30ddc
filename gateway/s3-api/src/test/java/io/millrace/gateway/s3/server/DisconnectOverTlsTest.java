package io.millrace.gateway.s3.server;

import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;

/** Runs the cases of broken responses over TLS, where bytes are sent from buffers only. */
class DisconnectOverTlsTest extends DisconnectTest {
    private static final Supplier<SslContext> TLS = TestCertificate.serverContext();

    /** Fewer, because each has a handshake of some 10 ms of the client's CPU time. */
    @Override
    int readers() {
        return 8;
    }

    @Override
    TestGateway.Builder builder() {
        return TestGateway.builder().tls(TLS);
    }
}
