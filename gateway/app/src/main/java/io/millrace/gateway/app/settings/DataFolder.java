package io.millrace.gateway.app.settings;

import io.millrace.config.machine.FolderPermissions;
import io.millrace.config.problem.ProblemReporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates and checks the folder for the gateway's own data. */
public final class DataFolder {
    private static final String REMEDY =
            "make it writable for this user, or name another folder by data or MILLRACE_DATA";

    private DataFolder() {}

    /**
     * Creates the folder if it is absent and requires that it is writable.
     *
     * @throws StartException if it is not a folder or cannot be written
     */
    public static void require(Path folder) {
        try {
            makeWritable(folder);
        } catch (IOException e) {
            throw new StartException("data: %s %s. To mend it, %s".formatted(folder, what(e), REMEDY), e);
        }
    }

    /** Adds a problem if {@link #require} would refuse the folder; does not create it. */
    static void check(Path folder, ProblemReporter problems) {
        try {
            FolderPermissions.requireCreatable(folder);
            if (Files.isDirectory(folder)) {
                makeWritable(folder);
            }
        } catch (IOException e) {
            problems.add("data", folder, what(e), REMEDY);
        }
    }

    private static void makeWritable(Path folder) throws IOException {
        Files.createDirectories(folder);
        // Permissions do not show every file system that takes no files; creating one does.
        Files.delete(Files.createTempFile(folder, ".writable", ""));
    }

    static String what(IOException e) {
        return "cannot be written (%s)".formatted(reason(e));
    }

    private static String reason(IOException e) {
        String kind = e.getClass().getSimpleName().replace("Exception", "");
        return kind.equals("IO") ? String.valueOf(e.getMessage()) : kind;
    }
}
