package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the table in docs/benchmarks.md has every search for interleavings, and no other. */
class InterleavingsTableTest {
    private static final Path PAGE = Path.of("../docs/benchmarks.md");
    private static final Path SOURCES = Path.of("src/test/java");
    private static final Pattern SEARCH = Pattern.compile("search\\(\\s*\"([^\"]+)\"");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\w[\\w -]*: .*?) +\\| [\\d,]+ \\| \\d+ \\|$");

    @Test
    void tableHasEverySearch() throws IOException {
        String section = Files.readString(PAGE).split("## Interleavings", -1)[1];

        assertThat(groups(ROW, section.split("\n## ", -1)[0])).isEqualTo(searches());
    }

    private static Set<String> searches() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith("Interleavings.java"))
                    .flatMap(file -> groups(SEARCH, text(file)).stream())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Set<String> groups(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
