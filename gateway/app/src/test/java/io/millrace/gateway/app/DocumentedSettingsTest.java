package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.binding.SettingsReferenceGenerator;
import io.millrace.gateway.app.settings.BackendTypeRegistry;
import io.millrace.gateway.app.settings.MillraceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that every setting that a page names exists. */
class DocumentedSettingsTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern SECTION = Pattern.compile("##+ (?:`([^`]+)`.*|The file)");
    private static final Pattern KEY = Pattern.compile("\\| `([^`]+)` \\|.*");

    /** A dotted key, alone or with a value. Values of the Helm chart have capitals. */
    private static final Pattern NAMED = Pattern.compile("`([a-z][a-z0-9-]*)((?:\\.(?:[a-z][a-z0-9-]*|NAME))+)[`:]");

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
                if (sections.contains(found.group(1))) {
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
