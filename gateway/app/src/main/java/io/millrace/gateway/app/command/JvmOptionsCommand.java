package io.millrace.gateway.app.command;

import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.MachineChecks;
import io.millrace.gateway.app.MillraceSettings;
import io.millrace.gateway.app.SettingsLoader;
import io.millrace.gateway.app.StartException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Prints the JVM options of a server with these settings, for the script {@code millrace}. If the settings do not allow
 * a start, it prints the reason and fails. It is a separate program that loads few classes, because each start waits
 * for it.
 */
public final class JvmOptionsCommand {
    private static final String OPTION = "--config";

    /** An option that changes nothing about memory. */
    private static final String SELF_SIGNED = "--self-signed";

    private JvmOptionsCommand() {}

    /**
     * Takes the arguments of {@code millrace serve}. Invalid arguments are ignored here; {@code millrace} reports them.
     */
    public static void main(String[] all) {
        String[] args =
                Stream.of(all).filter(argument -> !argument.equals(SELF_SIGNED)).toArray(String[]::new);
        Map<String, String> environment = System.getenv();
        Optional<Path> file = file(args);
        try {
            MachineChecks checks = MachineChecks.beforeLaunch(environment);
            if (file.isPresent() || args.length == 1) {
                LoadedSettings<MillraceSettings> loaded = file.isPresent()
                        ? SettingsLoader.ofFile(file.get(), checks)
                        : FirstRun.prepare(environment, checks).settings();
                System.out.println(checks.plan(loaded.settings()).options());
            }
        } catch (SettingsException | StartException refused) {
            System.err.println(StartFailureReport.of(file, environment).text(refused));
            System.exit(1);
        }
    }

    private static Optional<Path> file(String[] args) {
        if (args.length == 3 && args[1].equals(OPTION)) {
            return Optional.of(Path.of(args[2]));
        }
        if (args.length != 2) {
            return Optional.empty();
        }
        if (args[1].startsWith(OPTION + "=")) {
            return Optional.of(Path.of(args[1].substring(OPTION.length() + 1)));
        }
        return args[1].startsWith("-") ? Optional.empty() : Optional.of(Path.of(args[1]));
    }
}
