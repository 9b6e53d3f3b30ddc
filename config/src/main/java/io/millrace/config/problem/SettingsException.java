package io.millrace.config.problem;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Thrown if the settings have problems. The message lists them, numbered, for the terminal. */
public final class SettingsException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Limit of problems in the message, because a file of another kind would fill the log. */
    private static final int SHOWN = 100;

    private final transient List<SettingsProblem> problems;

    public SettingsException(List<SettingsProblem> problems) {
        super(message(problems));
        this.problems = List.copyOf(problems);
    }

    /** Returns all problems: those of the file by line, then those of the environment. Never empty. */
    public List<SettingsProblem> problems() {
        return problems;
    }

    private static String message(List<SettingsProblem> problems) {
        int count = problems.size();
        String blocks = IntStream.range(0, Math.min(count, SHOWN))
                .mapToObj(i -> "\n\n" + (i + 1) + ". " + problems.get(i))
                .collect(Collectors.joining());
        String title = count == 1 ? "1 problem in the settings:" : count + " problems in the settings:";
        return title + blocks + (count > SHOWN ? "\n\nand " + (count - SHOWN) + " more" : "");
    }
}
