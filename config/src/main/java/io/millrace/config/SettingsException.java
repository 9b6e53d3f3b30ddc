package io.millrace.config;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The settings cannot be used. The message is made for the operator's terminal: every problem, numbered, none twice. */
public final class SettingsException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Problems in the message: beyond this nobody reads on, and a file that is no settings file would fill the log. */
    private static final int SHOWN = 100;

    private final transient List<Problem> problems;

    SettingsException(List<Problem> problems) {
        super(message(problems));
        this.problems = List.copyOf(problems);
    }

    /** All of them, those of the file by line, then those of the environment. Never empty. */
    public List<Problem> problems() {
        return problems;
    }

    private static String message(List<Problem> problems) {
        int count = problems.size();
        String blocks = IntStream.range(0, Math.min(count, SHOWN))
                .mapToObj(i -> "\n\n" + (i + 1) + ". " + problems.get(i))
                .collect(Collectors.joining());
        String title = count == 1 ? "1 problem in the settings:" : count + " problems in the settings:";
        return title + blocks + (count > SHOWN ? "\n\nand " + (count - SHOWN) + " more" : "");
    }
}
