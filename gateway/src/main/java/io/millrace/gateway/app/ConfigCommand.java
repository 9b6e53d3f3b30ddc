package io.millrace.gateway.app;

import io.millrace.config.Reference;
import io.millrace.config.SettingsException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What concerns the operator's file. */
@Command(
        name = "config",
        description = "Check the operator's file, or explain it.",
        synopsisSubcommandLabel = "COMMAND")
final class ConfigCommand {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Reads the file and reports every problem there is. */
    @Command(name = "check", description = "Read the file and report every problem in it.")
    int check(@Option(names = "--config", required = true, paramLabel = "FILE", description = "The file.") Path file)
            throws SettingsException {
        MillraceSettings settings = SettingsSource.ofFile(file).settings();
        spec.commandLine()
                .getOut()
                .printf(
                        "%s: no problems (%d backends, %d buckets, %d identities)%n",
                        file,
                        settings.backends().size(),
                        settings.buckets().size(),
                        settings.identities().size());
        return 0;
    }

    /** Prints the page that explains every key. */
    @Command(name = "reference", description = "Print the reference page of every key, in Markdown.")
    int reference() {
        spec.commandLine().getOut().print(Reference.markdown(MillraceSettings.class, Backends.variants()));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
