package io.millrace.gateway.cli;

import io.millrace.kit.ClientCertificate;
import io.millrace.kit.PemFile;
import io.millrace.kit.UnusablePemFileException;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Makes factories of TLS sockets, by the authorities that they trust and the certificate that they present. */
final class TlsSocketFactories {
    private static final X509TrustManager ANYBODY = new X509TrustManager() {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    };

    private TlsSocketFactories() {}

    /**
     * Returns a factory of sockets for requests that are signed.
     *
     * @param authorities certificates in PEM, which alone are trusted; empty for those of Java
     * @param own empty to present none
     * @throws CliException if the file of authorities cannot be read or has no certificate
     */
    static SSLSocketFactory of(Optional<PemFile> authorities, Optional<ClientCertificate> own) {
        try {
            return factory(authorities.isPresent() ? trusting(authorities.get()) : null, own);
        } catch (UnusablePemFileException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        } catch (IOException | GeneralSecurityException e) {
            throw CliException.usage("the certificates cannot be used (%s)".formatted(e.getMessage()));
        }
    }

    /** Returns a factory of sockets that trust any server, for requests that tell it nothing and believe it little. */
    static SSLSocketFactory trustingAnybody(Optional<ClientCertificate> own) {
        try {
            return factory(new TrustManager[] {ANYBODY}, own);
        } catch (IOException | GeneralSecurityException e) {
            throw CliException.usage("the client certificate cannot be used (%s)".formatted(e.getMessage()));
        }
    }

    private static SSLSocketFactory factory(TrustManager @Nullable [] trusted, Optional<ClientCertificate> own)
            throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.isPresent() ? presenting(own.get()) : null, trusted, null);
        return context.getSocketFactory();
    }

    private static TrustManager[] trusting(PemFile file)
            throws UnusablePemFileException, IOException, GeneralSecurityException {
        KeyStore store = emptyStore();
        for (X509Certificate authority : file.certificates()) {
            store.setCertificateEntry("authority-" + store.size(), authority);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return trust.getTrustManagers();
    }

    private static KeyManager[] presenting(ClientCertificate own) throws IOException, GeneralSecurityException {
        char[] noPassword = {};
        KeyStore store = emptyStore();
        store.setKeyEntry("client", own.key(), noPassword, own.chain().toArray(X509Certificate[]::new));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, noPassword);
        return keys.getKeyManagers();
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }
}
