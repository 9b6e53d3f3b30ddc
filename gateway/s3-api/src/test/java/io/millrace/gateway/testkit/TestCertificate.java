package io.millrace.gateway.testkit;

import io.millrace.gateway.tls.ServerTlsContext;
import io.millrace.gateway.tls.TlsSettings;
import io.netty.handler.ssl.SslContext;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

/** A certificate of this machine's loopback address, made for a test and signed by itself. */
public record TestCertificate(X509Bundle bundle) {
    /**
     * Makes a certificate of the loopback address.
     *
     * @param dnsNames its host names beside localhost
     */
    public static TestCertificate create(String name, String... dnsNames) {
        return create(CertificateBuilder.Algorithm.ecp256, name, dnsNames);
    }

    /** Makes a certificate with a key of another kind. */
    public static TestCertificate create(CertificateBuilder.Algorithm key, String name, String... dnsNames) {
        try {
            CertificateBuilder builder = new CertificateBuilder()
                    .algorithm(key)
                    .subject("CN=" + name)
                    .notAfter(Instant.now().plus(Duration.ofDays(2)))
                    .setIsCertificateAuthority(true)
                    .addSanIpAddress("127.0.0.1")
                    .addSanDnsName("localhost");
            for (String dnsName : dnsNames) {
                builder.addSanDnsName(dnsName);
            }
            return new TestCertificate(builder.buildSelfSigned());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a server's context with a new certificate. */
    public static Supplier<SslContext> serverContext() {
        return create("test").context();
    }

    /** Returns a server's context with this certificate. */
    public Supplier<SslContext> context() {
        try {
            SslContext context = ServerTlsContext.of(
                    bundle.getKeyPair().getPrivate(), List.of(bundle.getCertificatePath()), Optional.empty());
            return () -> context;
        } catch (SSLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the settings of TLS with the files that {@link #write} makes. */
    public static TlsSettings settings(Path folder) {
        return new TlsSettings(folder.resolve("certificate.pem"), folder.resolve("key.pem"), Optional.empty());
    }

    /** Writes {@code certificate.pem} and {@code key.pem}. */
    public void write(Path folder) throws IOException {
        Files.writeString(folder.resolve("certificate.pem"), bundle.getCertificatePathPEM());
        Files.writeString(folder.resolve("key.pem"), bundle.getPrivateKeyPEM());
    }
}
