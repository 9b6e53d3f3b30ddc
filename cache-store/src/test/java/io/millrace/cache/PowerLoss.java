package io.millrace.cache;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A power loss under a running cache of which the file system had written everything at one moment, and after that nothing of the metadata
 * store: what is forced is on the disks, the rest is as it was then.
 */
final class PowerLoss {
    private static final String STORE = "metadata";
    private static final String WITNESS = "metadata-writes";

    private final Path cache;
    private final Path written;

    private PowerLoss(Path cache, Path written) {
        this.cache = cache;
        this.written = written;
    }

    /**
     * Now all is written.
     *
     * @param cache the folder of a {@link TestCache}
     * @param written a folder for what is kept until it happens
     */
    static PowerLoss afterAllIsWritten(Path cache, Path written) {
        return new PowerLoss(cache, Copied.folder(cache.resolve("data"), written));
    }

    /** Creates, in a folder of its own, the files that the next start of the machine finds. */
    Path happens(Path found) throws IOException {
        Path data = Copied.folder(cache, found).resolve("data");
        empty(data.resolve(STORE));
        Copied.folder(written.resolve(STORE), data.resolve(STORE));
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
