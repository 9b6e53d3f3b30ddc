package io.millrace.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Names from a file, one a line; empty lines are none. */
final class Lines {
    private static final int MOST = 10_000;
    private static final String STANDARD_INPUT = "-";

    private Lines() {}

    /**
     * @param option that names the file
     * @throws CliException if it cannot be read, or has none or too many
     */
    static List<String> read(String option, String file, Surroundings around) {
        List<String> lines =
                file.equals(STANDARD_INPUT) ? all(option, file, around.input()) : ofFile(option, file, around);
        if (lines.isEmpty()) {
            throw CliException.usage("%s: there is no name in %s".formatted(option, file));
        }
        return lines;
    }

    private static List<String> ofFile(String option, String file, Surroundings around) {
        try (InputStream in = Files.newInputStream(around.folder().resolve(file))) {
            return all(option, file, in);
        } catch (IOException e) {
            throw unreadable(option, file, e);
        }
    }

    private static List<String> all(String option, String file, InputStream in) {
        List<String> lines = new ArrayList<>();
        // A decoder of its own refuses what is no UTF-8; names of objects are that.
        BufferedReader reader = new BufferedReader(new InputStreamReader(in, UTF_8.newDecoder()));
        try {
            @Nullable String line;
            while ((line = reader.readLine()) != null) {
                if (!line.isEmpty()) {
                    lines.add(line);
                }
                if (lines.size() > MOST) {
                    throw CliException.usage(
                            "%s: a request has %,d names at most. Put the list into an object of the bucket, and name"
                                            .formatted(option, MOST)
                                    + " that with --manifest.");
                }
            }
            return lines;
        } catch (IOException e) {
            throw unreadable(option, file, e);
        }
    }

    private static CliException unreadable(String option, String file, IOException e) {
        String why = e instanceof NoSuchFileException
                ? "there is no such file"
                : e instanceof CharacterCodingException ? "it is not in UTF-8" : String.valueOf(e.getMessage());
        return CliException.usage("%s: cannot read %s: %s".formatted(option, file, why));
    }
}
