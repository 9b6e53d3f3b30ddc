package io.millrace.gateway.cli;

import io.millrace.auth.Tokens;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes a token of a key, for programs that cannot sign. Nobody is asked for it. */
@Command(
        name = "token",
        description = {
            "Print a bearer token made of the key, for programs that cannot sign.",
            "  curl -H \"Authorization: Bearer $(millrace token)\" .../api/v1/jobs",
            "Senders of event notifications cannot make a new one every day:",
            "--notifications makes one that is good for a year, and for nothing else."
        })
final class TokenCommand extends ClientCommand {
    @Option(
            names = "--hours",
            paramLabel = "N",
            description = "It is good for so long; without, for as long as it can be: 12, or 8784 of --notifications.")
    private @Nullable Integer hours;

    @Option(
            names = "--notifications",
            description = "It is good to post event notifications with, and for nothing else.")
    private boolean notifications;

    TokenCommand(Surroundings around) {
        super(around);
    }

    @Override
    int run() {
        Tokens.Use use = notifications ? Tokens.Use.NOTIFICATIONS : Tokens.Use.API;
        long most = use.longest().toHours();
        long good = hours == null ? most : hours;
        if (good < 1 || good > most) {
            throw CliException.usage("--hours: is 1 to " + most);
        }
        Credentials key = connection().credentials(around());
        out().println(Tokens.make(use, key.accessKey(), key.secretKey(), Duration.ofHours(good), Instant.now()));
        out().flush();
        return ExitCode.DONE;
    }
}
