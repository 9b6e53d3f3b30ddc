package io.millrace.gateway.app.command;

import io.millrace.cache.disk.CacheFolderInspector;
import io.millrace.gateway.app.DataFolder;
import io.millrace.gateway.app.StartException;
import io.millrace.kit.file.FileFailureText;
import io.millrace.kit.file.PrivateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command that forgets a cache disk which was emptied or replaced on purpose; the server is stopped meanwhile. */
@Command(
        name = "forget",
        description =
                "Forget a cache disk that was emptied, replaced or removed on purpose, so that the next start begins"
                        + " anew there. The server must be stopped.")
final class ForgetDiskCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(names = "--data", required = true, paramLabel = "FOLDER", description = "The data folder of the server.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path data;

    @Parameters(index = "0", paramLabel = "DISK", description = "Folder of the disk, as in cache.disks.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path disk;

    /** Adds it to the command {@code disks}, if that is there. */
    static void addTo(CommandLine millrace) {
        CommandLine disks = millrace.getSubcommands().get("disks");
        if (disks != null) {
            disks.addSubcommand(new ForgetDiskCommand());
        }
    }

    @Override
    public Integer call() {
        if (!Files.isDirectory(data)) {
            throw new StartException("--data: %s is no folder".formatted(data));
        }
        try {
            requireOwn();
            forget();
        } catch (IOException e) {
            throw new StartException(
                    "the disk %s cannot be forgotten: %s".formatted(disk, FileFailureText.named(e)), e);
        }
        spec.commandLine().getOut().printf("Forgotten: %s. What is in the folder stays there.%n", disk);
        spec.commandLine().getOut().flush();
        return 0;
    }

    /** The server could not read what another user, such as root, writes there. */
    private void requireOwn() throws IOException {
        if (PrivateFolder.isOfAnotherUser(data)) {
            throw new StartException(
                    ("--data: %s belongs to the user %s, who could not read what another one writes: run this as that"
                                    + " user")
                            .formatted(data, Files.getOwner(data).getName()));
        }
    }

    private void forget() throws IOException {
        try (DataFolder unused = DataFolder.open(data)) {
            if (!CacheFolderInspector.forget(disk, data)) {
                throw new StartException(
                        "no cache disk is known at %s; the folder is written as in cache.disks".formatted(disk));
            }
        }
    }
}
