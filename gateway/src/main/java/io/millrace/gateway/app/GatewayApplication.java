package io.millrace.gateway.app;

import io.millrace.config.SettingsException;
import picocli.CommandLine;

/** The program. */
public final class GatewayApplication {
    private GatewayApplication() {}

    /** Runs one command and exits with its code: 0 done, 1 failed, 2 wrong usage. */
    public static void main(String[] args) {
        int code = new CommandLine(new MillraceCommand())
                .setExecutionExceptionHandler(GatewayApplication::report)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args);
        System.exit(code);
    }

    private static int report(Exception failure, CommandLine command, CommandLine.ParseResult parsed) throws Exception {
        if (failure instanceof StartException || failure instanceof SettingsException) {
            command.getErr().println("millrace: " + failure.getMessage());
            return 1;
        }
        throw failure;
    }
}
