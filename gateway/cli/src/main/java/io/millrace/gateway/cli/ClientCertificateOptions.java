package io.millrace.gateway.cli;

import io.millrace.kit.ClientCertificate;
import io.millrace.kit.PemFile;
import io.millrace.kit.UnusablePemFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The command-line options that name the certificate to present to a control port that asks for one. */
public final class ClientCertificateOptions {
    private static final String CERTIFICATE = "--client-cert";
    private static final String KEY = "--client-key";

    @Option(
            names = CERTIFICATE,
            paramLabel = "FILE",
            description = "Certificate, in PEM, for a control port that asks its clients for one. Default:"
                    + " MILLRACE_CLIENT_CERT.")
    private @Nullable String certificate;

    @Option(
            names = KEY,
            paramLabel = "FILE",
            description = "Private key of " + CERTIFICATE + ", in PEM (PKCS#8). Default: MILLRACE_CLIENT_KEY.")
    private @Nullable String key;

    /**
     * Returns the certificate that the options or the variables name; empty if they name none.
     *
     * @throws CliException if a file cannot be used, or one of the two is missing
     */
    public Optional<ClientCertificate> load(CommandEnvironment around) {
        String own = certificate == null ? around.variable("MILLRACE_CLIENT_CERT") : certificate;
        String ownKey = key == null ? around.variable("MILLRACE_CLIENT_KEY") : key;
        if (own.isEmpty() && ownKey.isEmpty()) {
            return Optional.empty();
        }
        if (own.isEmpty() || ownKey.isEmpty()) {
            throw CliException.usage("%s and %s go together: name both files".formatted(CERTIFICATE, KEY));
        }
        try {
            return Optional.of(
                    ClientCertificate.load(new PemFile(CERTIFICATE, Path.of(own)), new PemFile(KEY, Path.of(ownKey))));
        } catch (UnusablePemFileException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }
}
