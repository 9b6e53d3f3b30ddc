package io.millrace.gateway.cli;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What a command finds around it.
 *
 * @param folder it runs in
 * @param home of the user
 * @param input not closed by whoever reads it
 * @param columns of the terminal that messages go to; empty if they go elsewhere
 */
record Surroundings(Map<String, String> environment, Path folder, Path home, InputStream input, OptionalInt columns) {
    /** Set by the script {@code millrace} where messages go to a terminal, which no JVM can ask. */
    private static final String COLUMNS = "millrace.columns";

    private static final int USUAL_COLUMNS = 80;

    static Surroundings ofProcess() {
        return new Surroundings(
                System.getenv(),
                Path.of(""),
                home(System.getenv(), System.getProperty("user.home")),
                System.in,
                columns(System.getProperty(COLUMNS)));
    }

    /**
     * The home folder, as shells and other tools find it.
     *
     * @param ofAccount what the system's list of accounts has, as Java tells it
     */
    static Path home(Map<String, String> environment, String ofAccount) {
        String variable = environment.getOrDefault("HOME", "");
        return Path.of(variable.isEmpty() ? ofAccount : variable);
    }

    /** The value of a variable; empty if it is not set. */
    String variable(String name) {
        return environment.getOrDefault(name, "");
    }

    /** Whether a line may be drawn over. */
    boolean canRedraw() {
        return columns.isPresent()
                && !variable("TERM").equals("dumb")
                && variable("NO_COLOR").isEmpty();
    }

    static OptionalInt columns(@Nullable String told) {
        if (told == null) {
            return OptionalInt.empty();
        }
        boolean number = !told.isEmpty()
                && told.length() <= 4
                && told.chars().allMatch(c -> c >= '0' && c <= '9')
                && Integer.parseInt(told) > 0;
        return OptionalInt.of(number ? Integer.parseInt(told) : USUAL_COLUMNS);
    }
}
