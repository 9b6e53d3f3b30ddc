package io.millrace.gateway.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder {@code data}: made if it is absent, refused if it cannot be used. */
final class DataFolder {
    private DataFolder() {}

    /**
     * @throws StartException if it is no folder or cannot be written
     */
    static void require(Path folder) {
        try {
            Files.createDirectories(folder);
            // Permission bits do not tell of read-only file systems; a file does.
            Files.delete(Files.createTempFile(folder, ".writable", ""));
        } catch (IOException e) {
            throw new StartException(
                    ("data: cannot write to the folder %s (%s). Make it writable for this user, or name another with"
                                    + " 'data' in the file or MILLRACE_DATA.")
                            .formatted(folder.toAbsolutePath(), reason(e)),
                    e);
        }
    }

    private static String reason(IOException e) {
        String kind = e.getClass().getSimpleName().replace("Exception", "");
        return kind.equals("IO") ? String.valueOf(e.getMessage()) : kind;
    }
}
