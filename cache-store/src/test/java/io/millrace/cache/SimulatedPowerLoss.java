package io.millrace.cache;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Simulates a power loss of a running cache: the file system had written everything until one moment, and of the
 * metadata store nothing after that. Synced data is on the disks; the rest is as it was then.
 */
final class SimulatedPowerLoss {
    private static final String STORE = "metadata";
    private static final String WITNESS = "metadata-writes";

    private final Path cache;
    private final Path written;

    private SimulatedPowerLoss(Path cache, Path written) {
        this.cache = cache;
        this.written = written;
    }

    /**
     * Now all is written.
     *
     * @param cache the folder of a {@link TestCache}
     * @param written a folder for what is kept until it happens
     */
    static SimulatedPowerLoss afterAllIsWritten(Path cache, Path written) {
        return new SimulatedPowerLoss(cache, FolderSnapshot.folder(cache.resolve("data"), written));
    }

    /** Creates, in a folder of its own, the files that the next start of the machine finds. */
    Path happens(Path found) throws IOException {
        Path data = FolderSnapshot.folder(cache, found).resolve("data");
        empty(data.resolve(STORE));
        FolderSnapshot.folder(written.resolve(STORE), data.resolve(STORE));
        Files.copy(written.resolve(WITNESS), data.resolve(WITNESS), StandardCopyOption.REPLACE_EXISTING);
        Path registry = data.resolve("cache-disks");
        Files.writeString(registry, Files.readString(registry).replaceAll("boot=.*", "boot=another"));
        return found;
    }

    static void empty(Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }
}
