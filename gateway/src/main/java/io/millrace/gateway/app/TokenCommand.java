package io.millrace.gateway.app;

import io.millrace.auth.Tokens;
import io.millrace.config.Secret;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Makes a token of a key. The key comes from the environment or a file: arguments are seen by everybody on the machine. */
@Command(
        name = "token",
        description = {
            "Print a bearer token for the API of the control port.",
            "It is made of the key in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or else of the one that the first start"
                    + " without a file made (MILLRACE_DATA, or ./data)."
        })
final class TokenCommand implements Callable<Integer> {
    @Option(
            names = "--hours",
            paramLabel = "N",
            defaultValue = "12",
            description = "How long it is good: 1 to 12; ${DEFAULT-VALUE} without.")
    private int hours;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** A key pair. */
    private record Key(String access, Secret secret) {}

    @Override
    public Integer call() {
        if (hours < 1 || hours > Tokens.LONGEST.toHours()) {
            throw wrong("--hours is 1 to 12");
        }
        Key key = key(System.getenv());
        spec.commandLine()
                .getOut()
                .println(Tokens.make(key.access(), key.secret(), Duration.ofHours(hours), Instant.now()));
        spec.commandLine().getOut().flush();
        return 0;
    }

    private Key key(Map<String, String> environment) {
        String access = environment.getOrDefault("AWS_ACCESS_KEY_ID", "");
        String secret = environment.getOrDefault("AWS_SECRET_ACCESS_KEY", "");
        if (!access.isEmpty() && !secret.isEmpty()) {
            return new Key(access, Secret.of(secret));
        }
        Path data = Path.of(environment.getOrDefault("MILLRACE_DATA", "data"));
        if (Files.notExists(data.resolve(GeneratedKeys.FILE))) {
            throw wrong("there is no key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
        }
        GeneratedKeys generated = GeneratedKeys.in(data);
        return new Key(generated.accessKey(), generated.secretKey());
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
