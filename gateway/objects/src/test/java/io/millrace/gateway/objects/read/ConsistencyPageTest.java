package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.GeneratedPage;
import io.millrace.backend.testkit.Promise;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every clause of the consistency page names the tests that hold it: those with its number in their {@link Promise}.
 */
class ConsistencyPageTest {
    private static final Path PAGE = Path.of("../../docs/consistency.md");
    private static final Pattern CLAUSE = Pattern.compile("(?m)^\\| ([RLIWDBS]\\d+) \\| (.*?) \\|(?: `[^|]*)? \\|$");
    private static final Pattern PROMISE =
            Pattern.compile("@Promise\\((\\{[^}]*}|\"\\w+\")\\)(?:(?!\\bvoid\\b)[\\s\\S])*?\\bvoid (\\w+)\\(");
    private static final Pattern NUMBER = Pattern.compile("\"(\\w+)\"");

    @Test
    void everyClauseNamesItsTests() throws IOException {
        Map<String, SortedSet<String>> tests = tests();
        List<String> clauses = CLAUSE.matcher(Files.readString(PAGE))
                .results()
                .map(found -> found.group(1))
                .toList();

        assertThat(tests.keySet()).isNotEmpty().containsExactlyInAnyOrderElementsOf(clauses);
        GeneratedPage.check(
                PAGE,
                page -> CLAUSE.matcher(page)
                        .replaceAll(clause -> Matcher.quoteReplacement("| %s | %s | `%s` |"
                                .formatted(
                                        clause.group(1),
                                        clause.group(2),
                                        String.join("`, `", tests.getOrDefault(clause.group(1), new TreeSet<>()))))));
    }

    /** Returns the tests of each clause, as {@code Class.method}. */
    private static Map<String, SortedSet<String>> tests() throws IOException {
        Map<String, SortedSet<String>> tests = new TreeMap<>();
        for (Path file : sources()) {
            String name = file.getFileName().toString().replace(".java", "");
            for (MatchResult promise :
                    PROMISE.matcher(Files.readString(file)).results().toList()) {
                NUMBER.matcher(promise.group(1))
                        .results()
                        .forEach(number -> tests.computeIfAbsent(number.group(1), clause -> new TreeSet<>())
                                .add(name + "." + promise.group(2)));
            }
        }
        return tests;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            // Their sources alone: other modules are being built meanwhile.
            return Stream.concat(modules, Stream.of(Path.of("../../cache-store")))
                    .map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .flatMap(ConsistencyPageTest::walk)
                    .filter(path -> path.toString().matches(".*(Test|Cases)\\.java"))
                    .filter(path -> !path.endsWith("ConsistencyPageTest.java"))
                    .collect(Collectors.toList());
        }
    }

    private static Stream<Path> walk(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
