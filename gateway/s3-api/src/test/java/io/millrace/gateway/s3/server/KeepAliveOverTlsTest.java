package io.millrace.gateway.s3.server;

import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;

/** Runs the cases of pipelined requests over TLS. */
class KeepAliveOverTlsTest extends KeepAliveTest {
    private static final Supplier<SslContext> TLS = TestCertificate.serverContext();

    @Override
    TestGateway.Builder builder() {
        return TestGateway.builder().tls(TLS);
    }
}
