package io.millrace.gateway.cli;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The process environment of a command: variables, folders, standard input and terminal.
 *
 * @param folder the working directory
 * @param home the home directory of the user
 * @param input standard input; its readers do not close it
 * @param columns width of the terminal that messages go to; empty if they go elsewhere
 */
public record CommandEnvironment(
        Map<String, String> environment, Path folder, Path home, InputStream input, OptionalInt columns) {
    /** Set by the script {@code millrace} if messages go to a terminal, because a JVM cannot query its width. */
    private static final String COLUMNS = "millrace.columns";

    private static final int USUAL_COLUMNS = 80;

    public static CommandEnvironment ofProcess() {
        return new CommandEnvironment(
                System.getenv(),
                Path.of(""),
                home(System.getenv(), System.getProperty("user.home")),
                System.in,
                columns(System.getProperty(COLUMNS)));
    }

    /**
     * Returns the home directory, as shells and other tools find it.
     *
     * @param ofAccount home directory of the account, from the system property {@code user.home}
     */
    static Path home(Map<String, String> environment, String ofAccount) {
        String variable = environment.getOrDefault("HOME", "");
        return Path.of(variable.isEmpty() ? ofAccount : variable);
    }

    /** Returns the value of a variable; empty if it is not set. */
    String variable(String name) {
        return environment.getOrDefault(name, "");
    }

    /** Whether a line may be redrawn. */
    public boolean canRedraw() {
        return columns.isPresent()
                && !variable("TERM").equals("dumb")
                && variable("NO_COLOR").isEmpty();
    }

    static OptionalInt columns(@Nullable String text) {
        if (text == null) {
            return OptionalInt.empty();
        }
        boolean number = !text.isEmpty()
                && text.length() <= 4
                && text.chars().allMatch(c -> c >= '0' && c <= '9')
                && Integer.parseInt(text) > 0;
        return OptionalInt.of(number ? Integer.parseInt(text) : USUAL_COLUMNS);
    }
}
