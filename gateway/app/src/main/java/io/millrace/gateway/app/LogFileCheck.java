package io.millrace.gateway.app;

import io.millrace.config.problem.ProblemReporter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A check that a start can write the file of a log. */
final class LogFileCheck {
    private LogFileCheck() {}

    /** Adds a problem if the file cannot be written; leaves the file system unchanged. */
    static void check(String key, Path file, ProblemReporter problems) {
        try {
            if (Files.exists(file)) {
                FileChannel.open(file, StandardOpenOption.WRITE).close();
            } else {
                Files.delete(Files.createTempFile(file.toAbsolutePath().getParent(), ".writable", ""));
            }
        } catch (IOException e) {
            problems.add(
                    key,
                    file,
                    DataFolder.what(e),
                    "make its folder and let this user write to it, or name another file");
        }
    }
}
