package io.millrace.gateway.app.tls;

import io.millrace.gateway.tls.TlsSettings;
import io.millrace.kit.tls.KeyAndCertificate;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Function;
import org.springframework.boot.ssl.pem.PemContent;

/** Loads a server's TLS context from PEM files. TLS 1.2 and 1.3 with AEAD ciphers, by BoringSSL where its library is present. */
final class TlsContextLoader {
    private static final List<String> CIPHERS = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    private TlsContextLoader() {}

    /** A server's TLS context with the certificate that it presents. */
    record Loaded(SslContext context, X509Certificate certificate) {}

    /**
     * Loads the context.
     *
     * @throws TlsFilesException if a file cannot be read or parsed, or the key is not that of the certificate
     */
    static Loaded load(TlsSettings settings) throws TlsFilesException {
        List<X509Certificate> chain = certificates("certificate", settings.certificate());
        PrivateKey key = read("private-key", settings.privateKey(), PemContent::getPrivateKey);
        if (!KeyAndCertificate.belongTogether(key, chain.get(0))) {
            throw new TlsFilesException(
                    "private-key",
                    settings.privateKey(),
                    "is not the key of the certificate in " + settings.certificate(),
                    "set both files to a certificate and its own key");
        }
        SslContextBuilder builder = SslContextBuilder.forServer(key, chain)
                .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE);
        if (settings.clientAuthorities().isPresent()) {
            builder.clientAuth(ClientAuth.REQUIRE)
                    .trustManager(certificates(
                            "client-authorities", settings.clientAuthorities().get()));
        }
        try {
            return new Loaded(builder.build(), chain.get(0));
        } catch (IOException e) {
            throw new TlsFilesException(
                    "certificate",
                    settings.certificate(),
                    "is not usable: " + e.getMessage(),
                    "set another certificate");
        }
    }

    private static List<X509Certificate> certificates(String key, Path file) throws TlsFilesException {
        return read(key, file, PemContent::getCertificates);
    }

    /** @param part returns it, or throws {@link IllegalStateException} if the file has none */
    private static <T> T read(String key, Path file, Function<PemContent, T> part) throws TlsFilesException {
        try {
            return part.apply(PemContent.load(file));
        } catch (NoSuchFileException e) {
            throw new TlsFilesException(key, file, "does not exist", "write the path of a PEM file");
        } catch (IOException | IllegalStateException | IllegalArgumentException e) {
            throw new TlsFilesException(
                    key, file, "is not readable as PEM (%s)".formatted(e.getMessage()), "write the path of a PEM file");
        }
    }
}
