package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every promise on the consistency page names an existing test. */
class ConsistencyPageTest {
    private static final Path PAGE = Path.of("../../docs/consistency.md");
    private static final Pattern CLAUSE = Pattern.compile("(?m)^\\| [RLIW]\\d+ \\|.*$");
    private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|Cases))\\.(\\w+)`");

    @Test
    void everyClauseNamesATestThatIsThere() throws IOException {
        Map<String, String> sources = sources();
        List<String> clauses = CLAUSE.matcher(Files.readString(PAGE))
                .results()
                .map(found -> found.group())
                .toList();

        assertThat(clauses)
                .isNotEmpty()
                .allMatch(clause -> NAMED.matcher(clause).find());
        assertThat(clauses.stream().flatMap(clause -> NAMED.matcher(clause).results()))
                .allMatch(test -> sources.getOrDefault(test.group(1), "").contains("void " + test.group(2) + "("));
    }

    private static Map<String, String> sources() throws IOException {
        try (Stream<Path> gateway = Files.walk(Path.of(".."));
                Stream<Path> store = Files.walk(Path.of("../../cache-store/src/test/java"))) {
            return Stream.concat(gateway, store)
                    .filter(path -> path.toString().matches(".*/src/test/.*(Test|Cases)\\.java"))
                    .collect(Collectors.toMap(
                            path -> path.getFileName().toString().replace(".java", ""),
                            ConsistencyPageTest::text,
                            (one, other) -> one + other));
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
