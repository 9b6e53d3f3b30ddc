package io.millrace.gateway.cli;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which Millrace, and who asks. Secrets have no option: other users of the machine see those. */
final class ConnectionOptions {
    private static final String USUAL = "http://127.0.0.1:9081";

    @Option(
            names = "--endpoint-url",
            paramLabel = "URL",
            description = "Millrace's control port; else MILLRACE_ENDPOINT_URL, else " + USUAL + ".")
    private @Nullable String endpoint;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description =
                    "Keys of ~/.aws/credentials or ~/.aws/config; else AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,"
                            + " else AWS_PROFILE, else the keys in ./data.")
    private @Nullable String profile;

    Api open(Surroundings around) {
        return new Api(endpoint(around), credentials(around));
    }

    Credentials credentials(Surroundings around) {
        return new Profiles(around, profile).credentials();
    }

    private URI endpoint(Surroundings around) {
        String variable = around.variable("MILLRACE_ENDPOINT_URL");
        String text = Optional.ofNullable(endpoint)
                .or(() -> variable.isEmpty() ? Optional.empty() : Optional.of(variable))
                .orElse(USUAL);
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
            // Told below; its own message may repeat what should not be shown.
        }
        throw CliException.usage("the endpoint is no URL of a server: write it as " + USUAL);
    }
}
