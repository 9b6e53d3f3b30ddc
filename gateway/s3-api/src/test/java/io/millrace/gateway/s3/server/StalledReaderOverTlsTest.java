package io.millrace.gateway.s3.server;

import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;

/** Runs the cases of slow and stalled readers over TLS, which holds encrypted bytes besides. */
class StalledReaderOverTlsTest extends StalledReaderTest {
    private static final Supplier<SslContext> TLS = TestCertificate.serverContext();

    @Override
    TestGateway.Builder builder() {
        return TestGateway.builder().tls(TLS);
    }
}
