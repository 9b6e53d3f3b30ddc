package io.millrace.kit;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * The certificate that a client presents to a server that asks for one, with its private key.
 *
 * @param chain the client's own certificate first
 */
public record ClientCertificate(PrivateKey key, List<X509Certificate> chain) {
    public ClientCertificate {
        chain = List.copyOf(chain);
    }

    /**
     * Reads a certificate and its key.
     *
     * @throws UnusablePemFileException if a file cannot be used, or the key is that of another certificate
     */
    public static ClientCertificate load(PemFile certificate, PemFile privateKey) throws UnusablePemFileException {
        List<X509Certificate> chain = certificate.certificates();
        PrivateKey key = privateKey.privateKey();
        if (!KeyAndCertificate.belongTogether(key, chain.get(0))) {
            throw privateKey.unusable(
                    "is not the key of the first certificate in " + certificate.file(),
                    "set both files to a certificate and its own key");
        }
        return new ClientCertificate(key, chain);
    }
}
