package io.millrace.backend.http;

import io.millrace.kit.ClientCertificate;
import io.millrace.kit.PemFile;
import io.millrace.kit.UnusablePemFileException;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import reactor.netty.http.Http11SslContextSpec;

/**
 * The loaded files of {@link BackendTlsSettings}.
 *
 * @param trust empty for the authorities of the Java runtime
 * @param own empty without a client certificate
 */
record OutboundTls(Optional<TrustManagerFactory> trust, Optional<ClientCertificate> own) {
    /**
     * Returns the TLS of a client with these settings.
     *
     * @throws IllegalArgumentException if a file cannot be used; the message says what to do
     */
    static Http11SslContextSpec client(BackendTlsSettings settings) {
        try {
            OutboundTls loaded = load(settings);
            Http11SslContextSpec spec = Http11SslContextSpec.forClient();
            spec.configure(loaded::configure);
            return spec;
        } catch (UnusablePemFileException e) {
            throw new IllegalArgumentException("tls." + e.getMessage(), e);
        }
    }

    static OutboundTls load(BackendTlsSettings settings) throws UnusablePemFileException {
        Optional<TrustManagerFactory> trust = settings.authorities().isEmpty()
                ? Optional.empty()
                : Optional.of(trusting(
                        new PemFile("authorities", settings.authorities().get()), settings.publicAuthorities()));
        if (settings.certificate().isEmpty() || settings.privateKey().isEmpty()) {
            return new OutboundTls(trust, Optional.empty());
        }
        return new OutboundTls(
                trust,
                Optional.of(ClientCertificate.load(
                        new PemFile("certificate", settings.certificate().get()),
                        new PemFile("private-key", settings.privateKey().get()))));
    }

    /** Returns when the client certificate expires. */
    Optional<Instant> expiry() {
        return own.map(certificate -> certificate.chain().get(0).getNotAfter().toInstant());
    }

    private void configure(SslContextBuilder builder) {
        trust.ifPresent(builder::trustManager);
        own.ifPresent(certificate -> builder.keyManager(certificate.key(), certificate.chain()));
    }

    private static TrustManagerFactory trusting(PemFile file, boolean publicToo) throws UnusablePemFileException {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (X509Certificate authority : file.certificates()) {
                store.setCertificateEntry("authority-" + store.size(), authority);
            }
            if (publicToo) {
                for (X509Certificate authority : publicAuthorities()) {
                    store.setCertificateEntry("public-" + store.size(), authority);
                }
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return trust;
        } catch (GeneralSecurityException | IOException e) {
            throw file.unusable("is not usable (%s)".formatted(e.getMessage()), "set another file");
        }
    }

    private static List<X509Certificate> publicAuthorities() throws GeneralSecurityException {
        TrustManagerFactory runtime = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        runtime.init((KeyStore) null);
        return Arrays.stream(runtime.getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .flatMap(manager -> Arrays.stream(((X509TrustManager) manager).getAcceptedIssuers()))
                .toList();
    }
}
