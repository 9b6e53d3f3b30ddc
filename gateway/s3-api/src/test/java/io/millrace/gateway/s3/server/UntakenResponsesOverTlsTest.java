package io.millrace.gateway.s3.server;

import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;

/** Runs the cases of responses that nobody takes over TLS, which holds encrypted bytes besides. */
class UntakenResponsesOverTlsTest extends UntakenResponsesTest {
    private static final Supplier<SslContext> TLS = TestCertificate.serverContext();

    @Override
    TestGateway.Builder newBuilder() {
        return TestGateway.builder().tls(TLS);
    }
}
