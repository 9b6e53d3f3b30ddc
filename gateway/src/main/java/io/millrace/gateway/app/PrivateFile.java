package io.millrace.gateway.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** A file that only its owner can read, there whole or not at all. */
final class PrivateFile {
    private PrivateFile() {}

    static void write(Path file, List<String> lines) throws IOException {
        Path fresh = Files.createTempFile(
                file.toAbsolutePath().getParent(),
                "." + file.getFileName(),
                "",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(fresh, lines);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
