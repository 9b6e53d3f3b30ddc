package io.millrace.gateway.app.tls;

import io.millrace.gateway.tls.TlsSettings;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

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
    public static ReloadingTlsContext serverContext() {
        return create("test").context();
    }

    /** Returns a server's context with this certificate, loaded from files as the program loads them. */
    public ReloadingTlsContext context() {
        try {
            Path folder = Files.createTempDirectory("certificate");
            write(folder);
            return ReloadingTlsContext.load("s3", settings(folder));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the settings of TLS with the files that {@link #write} makes. */
    static TlsSettings settings(Path folder) {
        return new TlsSettings(folder.resolve("certificate.pem"), folder.resolve("key.pem"), Optional.empty());
    }

    /** Writes {@code certificate.pem} and {@code key.pem}. */
    public void write(Path folder) throws IOException {
        Files.writeString(folder.resolve("certificate.pem"), bundle.getCertificatePathPEM());
        Files.writeString(folder.resolve("key.pem"), bundle.getPrivateKeyPEM());
    }
}
