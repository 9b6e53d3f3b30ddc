package io.millrace.gateway.cli;

import io.millrace.kit.ClientCertificate;
import io.millrace.kit.PemFile;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command-line options that choose the server and the credentials. Secrets have no option, because other users of
 * the machine can see options.
 */
final class ConnectionOptions {
    private static final String DEFAULT_ENDPOINT = "http://127.0.0.1:9081";

    @Option(
            names = "--endpoint-url",
            paramLabel = "URL",
            description =
                    "URL of Millrace's control port. Default: MILLRACE_ENDPOINT_URL, then " + DEFAULT_ENDPOINT + ".")
    private @Nullable String endpoint;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = "Profile in ~/.aws/credentials or ~/.aws/config. Default: AWS_ACCESS_KEY_ID and"
                    + " AWS_SECRET_ACCESS_KEY, then AWS_PROFILE, then the generated keys in ./data.")
    private @Nullable String profile;

    @Option(
            names = "--ca-bundle",
            paramLabel = "FILE",
            description =
                    "Certificates of the authorities to trust for https, in PEM. Default: AWS_CA_BUNDLE, then those"
                            + " of Java.")
    private @Nullable String authorities;

    @Mixin
    private final ClientCertificateOptions clientCertificate = new ClientCertificateOptions();

    ControlApiClient open(CommandEnvironment around) {
        return new ControlApiClient(endpoint(around), credentials(around), tls(around));
    }

    /** Returns a probe of the server, which needs no credentials. */
    ControlPortProbe probe(CommandEnvironment around) {
        return new ControlPortProbe(endpoint(around), clientCertificate.load(around));
    }

    /** Returns what makes the sockets for https; empty if neither options nor variables say anything about it. */
    private Optional<SSLSocketFactory> tls(CommandEnvironment around) {
        String name = authorities == null ? "AWS_CA_BUNDLE" : "--ca-bundle";
        String bundle = authorities == null ? around.variable(name) : authorities;
        Optional<PemFile> file = bundle.isEmpty() ? Optional.empty() : Optional.of(new PemFile(name, Path.of(bundle)));
        Optional<ClientCertificate> own = clientCertificate.load(around);
        return file.isEmpty() && own.isEmpty() ? Optional.empty() : Optional.of(TlsSocketFactories.of(file, own));
    }

    SigningCredentials credentials(CommandEnvironment around) {
        return new CredentialsResolver(around, profile).credentials();
    }

    private URI endpoint(CommandEnvironment around) {
        String variable = around.variable("MILLRACE_ENDPOINT_URL");
        String text = Optional.ofNullable(endpoint)
                .or(() -> variable.isEmpty() ? Optional.empty() : Optional.of(variable))
                .orElse(DEFAULT_ENDPOINT);
        return parse(text);
    }

    private static URI parse(String text) {
        try {
            URI uri = new URI(text);
            boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            if (http && uri.getHost() != null && uri.getRawUserInfo() == null && uri.getRawQuery() == null) {
                return URI.create(text.replaceAll("/+$", ""));
            }
        } catch (URISyntaxException e) {
            // Reported below: the message of the exception may repeat a password.
        }
        throw CliException.usage("the endpoint is not the URL of a server: write it as " + DEFAULT_ENDPOINT);
    }
}
