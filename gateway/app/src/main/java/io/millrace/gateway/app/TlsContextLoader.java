package io.millrace.gateway.app;

import io.millrace.gateway.tls.ServerTlsContext;
import io.millrace.gateway.tls.TlsSettings;
import io.millrace.kit.KeyAndCertificate;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.boot.ssl.pem.PemContent;

/** Loads a server's TLS context from PEM files. */
final class TlsContextLoader {
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
        Optional<List<X509Certificate>> authorities = settings.clientAuthorities()
                        .isPresent()
                ? Optional.of(certificates(
                        "client-authorities", settings.clientAuthorities().get()))
                : Optional.empty();
        try {
            return new Loaded(ServerTlsContext.of(key, chain, authorities), chain.get(0));
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
