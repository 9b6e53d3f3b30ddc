package io.millrace.gateway.s3.server;

import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;

/** Runs the cases of slow heads over TLS, where each byte is a record of its own. */
class RequestHeadDeadlineOverTlsTest extends RequestHeadDeadlineTest {
    private static final Supplier<SslContext> TLS = TestCertificate.serverContext();

    @Override
    TestGateway.Builder builder() {
        return TestGateway.builder().tls(TLS);
    }

    /** Fewer, because each has a handshake of some 10 ms of the client's CPU time. */
    @Override
    int flood() {
        return 50;
    }
}
