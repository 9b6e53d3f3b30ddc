package io.millrace.gateway.cli;

import io.millrace.auth.session.BearerTokens;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code millrace token}: makes a bearer token from the credentials, without a request to the server. */
@Command(
        name = "token",
        description = {
            "Print a bearer token for programs that cannot sign requests.",
            "  curl -H \"Authorization: Bearer $(millrace token)\" .../api/v1/jobs",
            "With --notifications, the token is valid for a year, but only for",
            "posting event notifications."
        })
final class MakeTokenCommand extends ClientCommand {
    @Option(
            names = "--hours",
            paramLabel = "N",
            description = "Lifetime in hours. Default and maximum: 12, or 8784 with --notifications.")
    private @Nullable Integer hours;

    @Option(names = "--notifications", description = "Make a token that can only post event notifications.")
    private boolean notifications;

    MakeTokenCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        BearerTokens.Use use = notifications ? BearerTokens.Use.NOTIFICATIONS : BearerTokens.Use.API;
        long most = use.longest().toHours();
        long good = hours == null ? most : hours;
        if (good < 1 || good > most) {
            throw CliException.usage("--hours: must be from 1 to " + most);
        }
        SigningCredentials key = connection().credentials(environment());
        out().println(BearerTokens.make(use, key.accessKey(), key.secretKey(), Duration.ofHours(good), Instant.now()));
        out().flush();
        return ExitCode.DONE;
    }
}
