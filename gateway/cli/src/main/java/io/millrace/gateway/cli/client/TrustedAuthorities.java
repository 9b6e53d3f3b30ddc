package io.millrace.gateway.cli.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Makes TLS sockets that trust the certificate authorities of a file. */
final class TrustedAuthorities {
    private TrustedAuthorities() {}

    /**
     * Returns a factory of sockets that trust these authorities only.
     *
     * @param file certificates in PEM
     * @throws CliException if the file cannot be read or has no certificate
     */
    static SSLSocketFactory of(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("authority-" + store.size(), certificate);
            }
            if (store.size() == 0) {
                throw CliException.usage("no certificate is in " + file);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (IOException | GeneralSecurityException e) {
            throw CliException.usage("cannot read certificates from %s (%s)".formatted(file, e.getMessage()));
        }
    }
}
