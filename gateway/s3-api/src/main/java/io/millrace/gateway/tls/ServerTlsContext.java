package io.millrace.gateway.tls;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * Creates the TLS contexts of the gateway's ports: TLS 1.2 and 1.3 with AEAD ciphers, by BoringSSL where its library is
 * present.
 */
public final class ServerTlsContext {
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

    private ServerTlsContext() {}

    /**
     * Returns a context that presents this certificate.
     *
     * @param chain the server's own certificate first
     * @param clientAuthorities where present, clients must present a certificate that one of them issued
     * @throws SSLException if the certificate cannot be used
     */
    public static SslContext of(
            PrivateKey key, List<X509Certificate> chain, Optional<List<X509Certificate>> clientAuthorities)
            throws SSLException {
        SslContextBuilder builder = SslContextBuilder.forServer(key, chain)
                .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE);
        clientAuthorities.ifPresent(
                authorities -> builder.clientAuth(ClientAuth.REQUIRE).trustManager(authorities));
        return builder.build();
    }
}
