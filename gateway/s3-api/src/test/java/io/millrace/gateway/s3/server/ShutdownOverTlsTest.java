package io.millrace.gateway.s3.server;

import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;

/** Runs the cases of a shutdown over TLS. */
class ShutdownOverTlsTest extends ShutdownTest {
    private static final Supplier<SslContext> TLS = TestCertificate.serverContext();

    @Override
    TestGateway.Builder builder() {
        return TestGateway.builder().tls(TLS);
    }
}
