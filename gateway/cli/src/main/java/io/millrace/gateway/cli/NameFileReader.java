package io.millrace.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.kit.file.FileFailureText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads names from a file or standard input, one per line, and skips empty lines. */
final class NameFileReader {
    private static final int MOST = 10_000;
    private static final String STANDARD_INPUT = "-";

    private NameFileReader() {}

    /**
     * Reads the names in a file, one a line.
     *
     * @param option the option that names the file, for messages
     * @throws CliException if the file cannot be read, or has no names or too many
     */
    static List<String> read(String option, String file, CommandEnvironment around) {
        List<String> lines =
                file.equals(STANDARD_INPUT) ? all(option, file, around.input()) : ofFile(option, file, around);
        if (lines.isEmpty()) {
            throw CliException.usage("%s: %s has no names".formatted(option, file));
        }
        return lines;
    }

    private static List<String> ofFile(String option, String file, CommandEnvironment around) {
        try (InputStream in = Files.newInputStream(around.folder().resolve(file))) {
            return all(option, file, in);
        } catch (IOException e) {
            throw unreadable(option, file, e);
        }
    }

    private static List<String> all(String option, String file, InputStream in) {
        List<String> lines = new ArrayList<>();
        // An explicit decoder refuses invalid UTF-8 instead of replacing it; keys are UTF-8.
        BufferedReader reader = new BufferedReader(new InputStreamReader(in, UTF_8.newDecoder()));
        try {
            @Nullable String line;
            while ((line = reader.readLine()) != null) {
                if (!line.isEmpty()) {
                    lines.add(line);
                }
                if (lines.size() > MOST) {
                    throw CliException.usage(
                            "%s: more than %,d names. Put the list into an object of the bucket, and name that"
                                            .formatted(option, MOST)
                                    + " with --manifest.");
                }
            }
            return lines;
        } catch (IOException e) {
            throw unreadable(option, file, e);
        }
    }

    private static CliException unreadable(String option, String file, IOException e) {
        return CliException.usage("%s: cannot read %s: %s".formatted(option, file, FileFailureText.of(e)));
    }
}
