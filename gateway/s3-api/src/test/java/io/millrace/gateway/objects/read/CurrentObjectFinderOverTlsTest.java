package io.millrace.gateway.objects.read;

import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;

/** Runs the cases of herds, slow and cut fills over TLS: encryption costs no fetch and mixes no bytes. */
@Tag("matrix")
class CurrentObjectFinderOverTlsTest extends CurrentObjectFinderTest {
    private static final Supplier<SslContext> TLS = TestCertificate.serverContext();

    /** Without the optimizing compiler, which tests do without, the JDK decrypts some MiB a second. */
    @Override
    int share() {
        return 10;
    }

    @Override
    TestGateway.Builder builder() {
        return TestGateway.builder().tls(TLS);
    }
}
