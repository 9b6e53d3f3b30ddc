package io.millrace.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Removes cache folders of a running cache until it is closed; files in their place prevent writes there. */
final class RemovedFolders implements AutoCloseable {
    private final Path parent;
    private final List<String> names;

    private RemovedFolders(Path parent, List<String> names) {
        this.parent = parent;
        this.names = names;
    }

    static RemovedFolders of(Path parent, String... names) throws IOException {
        for (String name : names) {
            Files.move(parent.resolve(name), parent.resolve(name + ".away"));
            Files.createFile(parent.resolve(name));
        }
        return new RemovedFolders(parent, List.of(names));
    }

    /** They are back. */
    @Override
    public void close() throws IOException {
        for (String name : names) {
            Files.delete(parent.resolve(name));
            Files.move(parent.resolve(name + ".away"), parent.resolve(name));
        }
    }
}
