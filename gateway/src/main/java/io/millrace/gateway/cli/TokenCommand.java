package io.millrace.gateway.cli;

import io.millrace.auth.Tokens;
import java.time.Duration;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes a token of a key, for programs that cannot sign. Nobody is asked for it. */
@Command(
        name = "token",
        description = {
            "Print a bearer token made of the key, for programs that cannot sign:",
            "  curl -H \"Authorization: Bearer $(millrace token)\" .../api/v1/jobs"
        })
final class TokenCommand extends ClientCommand {
    @Option(names = "--hours", paramLabel = "N", description = "It is good for so long, 1 to 12; 12 without.")
    private int hours = (int) Tokens.LONGEST.toHours();

    TokenCommand(Surroundings around) {
        super(around);
    }

    @Override
    int run() {
        if (hours < 1 || hours > Tokens.LONGEST.toHours()) {
            throw CliException.usage("--hours: is 1 to " + Tokens.LONGEST.toHours());
        }
        Credentials key = connection().credentials(around());
        out().println(Tokens.make(key.accessKey(), key.secretKey(), Duration.ofHours(hours), Instant.now()));
        out().flush();
        return ExitCode.DONE;
    }
}
