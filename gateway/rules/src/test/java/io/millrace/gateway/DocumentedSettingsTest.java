package io.millrace.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.binding.SettingsReader;
import io.millrace.config.binding.SettingsReferenceGenerator;
import io.millrace.config.problem.ClosestMatch;
import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SettingsProblem;
import io.millrace.gateway.app.BackendTypeRegistry;
import io.millrace.gateway.app.MillraceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that every setting that a page names exists. */
class DocumentedSettingsTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern SECTION = Pattern.compile("##+ (?:`([^`]+)`.*|The file)");
    private static final Pattern KEY = Pattern.compile("\\| `([^`]+)` \\|.*");

    /** A dotted key, alone or with a value. Values of the Helm chart have capitals. */
    private static final Pattern NAMED = Pattern.compile("`([a-z][a-z0-9-]*)((?:\\.(?:[a-z][a-z0-9-]*|NAME))+)[`:]");

    private static final Pattern FENCED = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final Pattern INDENTED = Pattern.compile("(?<=\n\n) {4}[a-z][a-z0-9-]*:(?: .*)?\n(?: {4}.*\n)*");
    private static final Pattern TOP_LEVEL_KEY = Pattern.compile("(?m)^([a-z][a-z0-9-]*):");

    private final Set<String> known = known();

    @Test
    void pagesNameOnlySettingsThatExist() throws IOException {
        Set<String> sections = known.stream()
                .flatMap(path -> Stream.of(path.split("\\.")).limit(path.split("\\.").length - 1L))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> names =
                known.stream().flatMap(DocumentedSettingsTest::endsOf).collect(Collectors.toCollection(TreeSet::new));
        List<String> unknown = new ArrayList<>();
        int named = 0;
        for (Path page : pages()) {
            Matcher found = NAMED.matcher(Files.readString(page));
            while (found.find()) {
                if (sections.contains(found.group(1)) || isMisspeltSection(found.group(1), page)) {
                    named++;
                    if (!names.contains(found.group(1) + found.group(2))) {
                        unknown.add("%s: %s".formatted(page.getFileName(), found.group(1) + found.group(2)));
                    }
                }
            }
        }

        assertThat(unknown).isEmpty();
        assertThat(named).isGreaterThan(50);
    }

    @Test
    void blocksOfSettingsHaveOnlyKeysThatExist() throws IOException {
        List<String> unknown = new ArrayList<>();
        int blocks = 0;
        for (Path page : pages()) {
            for (String block : blocksOf(Files.readString(page)).toList()) {
                if (isOfSettings(block)) {
                    blocks++;
                    unknownKeys(block)
                            .map(key -> page.getFileName() + ": " + key)
                            .forEach(unknown::add);
                }
            }
        }

        assertThat(unknown).isEmpty();
        assertThat(blocks).isGreaterThan(15);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cache: { dixks: [] }", "cashe: { size: 1GiB }", "s3: { port: 1 }\nbukets: []"})
    void misspeltKeysOfBlocksAreFound(String block) {
        assertThat(isOfSettings(block)).isTrue();
        assertThat(unknownKeys(block)).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"job", "cashe", "admn"})
    void misspeltSectionsAreFound(String name) {
        assertThat(isMisspeltSection(name, Path.of("jobs.md"))).isTrue();
    }

    /** The page of the architecture names packages, of which {@code backend} is one. */
    private boolean isMisspeltSection(String name, Path page) {
        Set<String> real = firstParts(known.stream().filter(path -> path.contains(".")));
        return !page.endsWith("architecture.md")
                && !topLevel().contains(name)
                && ClosestMatch.find(name, real).isPresent();
    }

    private Set<String> topLevel() {
        return firstParts(known.stream());
    }

    private static Set<String> firstParts(Stream<String> paths) {
        return paths.map(path -> List.of(path.split("\\.")).get(0)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the blocks of YAML: fenced ones, and indented ones that begin with a key. */
    private static Stream<String> blocksOf(String page) {
        return Stream.concat(
                FENCED.matcher(page).results().map(found -> found.group(1)),
                INDENTED.matcher(page).results().map(found -> found.group().replaceAll("(?m)^ {4}", "")));
    }

    private boolean isOfSettings(String block) {
        return TOP_LEVEL_KEY
                .matcher(block)
                .results()
                .map(found -> found.group(1))
                .anyMatch(key -> ClosestMatch.find(key, topLevel()).isPresent());
    }

    /** Returns the keys that no start would accept; what a block leaves out is no matter. */
    private static Stream<String> unknownKeys(String block) {
        try {
            new SettingsReader(BackendTypeRegistry.variants(), Map.of())
                    .readText(block, Path.of(""), MillraceSettings.class);
            return Stream.empty();
        } catch (SettingsException e) {
            return e.problems().stream()
                    .filter(problem -> problem.description().equals("is not a key that Millrace knows"))
                    .map(SettingsProblem::key);
        }
    }

    /** Returns a path and its ends: within its section, a key is named without it. */
    private static Stream<String> endsOf(String path) {
        List<String> parts = List.of(path.split("\\."));
        return IntStream.range(0, parts.size()).mapToObj(from -> String.join(".", parts.subList(from, parts.size())));
    }

    /** Returns the path of each key, without brackets, and with NAME for a name that operators choose. */
    private static Set<String> known() {
        Set<String> paths = new TreeSet<>();
        String section = "";
        for (String line : SettingsReferenceGenerator.markdown(MillraceSettings.class, BackendTypeRegistry.variants())
                .lines()
                .toList()) {
            Matcher title = SECTION.matcher(line);
            Matcher key = KEY.matcher(line);
            if (title.matches()) {
                section = title.group(1) == null ? "" : title.group(1) + ".";
            } else if (key.matches()) {
                paths.add((section + key.group(1)).replace("[]", "").replace("<name>", "NAME"));
            }
        }
        return paths;
    }

    /** The reference of all settings itself is generated. */
    private static List<Path> pages() throws IOException {
        try (Stream<Path> pages = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                            pages.filter(page -> page.toString().endsWith(".md") && !page.endsWith("configuration.md")),
                            Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CHANGELOG.md")))
                    .toList();
        }
    }
}
