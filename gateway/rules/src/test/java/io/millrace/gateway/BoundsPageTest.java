package io.millrace.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.DataSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that each row of docs/bounds.md names a setting or constant with that value, and a test that there is. */
class BoundsPageTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern VALUE = Pattern.compile("`([^`]+)`: (.+)");
    private static final Pattern CONSTANT = Pattern.compile("([A-Z]\\w+)\\.([A-Z][A-Z_0-9]*)");
    private static final Pattern AMOUNT = Pattern.compile("([0-9.]+)(?: (KiB|MiB|ms|s|min|h))?");
    private static final Pattern TEST = Pattern.compile("`(\\w+)\\.(\\w+)`");
    private static final Pattern SECTION = Pattern.compile("#{2,3} `([^`]+)`.*");
    private static final Pattern SETTING = Pattern.compile("\\| `([^`]+)` \\| [^|]+ \\| `?([^|`]+)`? \\|.*");

    /** How much a unit is of the unit of a constant: bytes, or nanoseconds. */
    private static final Map<String, Long> UNITS = Map.of(
            "KiB", 1L << 10,
            "MiB", 1L << 20,
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "min", 60_000_000_000L,
            "h", 3_600_000_000_000L);

    /** Who is counted, by the first word of the cell. */
    private static final Set<String> COUNTED =
            Set.of("identity", "network", "connection", "request", "backend", "provider", "disk", "all");

    private static final Map<String, Path> mainSources = new HashMap<>();
    private static final Map<String, Path> testSources = new HashMap<>();

    /** One bound: a row of a table. */
    private record Row(List<String> cells) {
        String name() {
            return cells.get(0);
        }
    }

    @BeforeAll
    static void find() throws IOException {
        for (String folder : List.of("auth", "backends", "cache-store", "config", "gateway")) {
            walk(ROOT.resolve(folder), 2).filter(path -> path.endsWith("src")).forEach(source -> {
                add(source.resolve("main/java"), mainSources);
                add(source.resolve("test/java"), testSources);
            });
        }
    }

    private static void add(Path folder, Map<String, Path> sources) {
        if (Files.isDirectory(folder)) {
            walk(folder, Integer.MAX_VALUE)
                    .filter(path -> path.toString().endsWith(".java"))
                    .forEach(path -> sources.put(path.getFileName().toString().replace(".java", ""), path));
        }
    }

    @Test
    void constantsHaveTheValuesOfThePage() throws Exception {
        int checked = 0;
        for (Row row : rows()) {
            Matcher value = VALUE.matcher(row.cells().get(1));
            assertThat(value.matches()).as(row.name()).isTrue();
            Matcher constant = CONSTANT.matcher(value.group(1));
            if (constant.matches()) {
                checked++;
                assertThat(amountOf(constant.group(1), constant.group(2)))
                        .as(value.group(1))
                        .isEqualByComparingTo(amount(value.group(2), constant.group(1), constant.group(2)));
            }
        }
        assertThat(checked).isGreaterThan(30);
    }

    @Test
    void settingsHaveTheDefaultsOfThePage() throws IOException {
        Map<String, Set<String>> defaults = defaults();
        for (Row row : rows()) {
            Matcher value = VALUE.matcher(row.cells().get(1));
            assertThat(value.matches()).as(row.name()).isTrue();
            if (!CONSTANT.matcher(value.group(1)).matches()) {
                assertThat(defaults).as(row.name()).containsKey(value.group(1));
                assertThat(defaults.get(value.group(1))).as(value.group(1)).contains(value.group(2));
            }
        }
    }

    @Test
    void testsOfThePageExist() throws IOException {
        for (Row row : rows()) {
            List<String> tests = new ArrayList<>();
            Matcher named = TEST.matcher(row.cells().get(5));
            while (named.find()) {
                tests.add(named.group());
                assertThat(testSources).as(row.name()).containsKey(named.group(1));
                assertThat(Files.readString(Objects.requireNonNull(testSources.get(named.group(1)))))
                        .as(named.group())
                        .contains("void " + named.group(2) + "(");
            }
            assertThat(tests).as(row.name()).isNotEmpty();
        }
    }

    @Test
    void everyRowSaysWhoIsCountedAndWhatHappens() throws IOException {
        assertThat(rows()).hasSizeGreaterThan(50).allSatisfy(row -> {
            assertThat(row.cells()).as(row.name()).hasSize(6).noneMatch(String::isBlank);
            assertThat(COUNTED).as(row.name()).contains(row.cells().get(2).split("[ ,]", 2)[0]);
        });
    }

    private static List<Row> rows() throws IOException {
        return Files.readAllLines(ROOT.resolve("docs/bounds.md")).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| bound |"))
                .map(line -> new Row(
                        Arrays.stream(line.substring(1, line.lastIndexOf('|')).split(" \\| "))
                                .map(String::strip)
                                .toList()))
                .toList();
    }

    /**
     * Returns the defaults of all settings by their key, as docs/configuration.md has them, which another test compares
     * with the code.
     */
    private static Map<String, Set<String>> defaults() throws IOException {
        Map<String, Set<String>> defaults = new HashMap<>();
        String section = "";
        for (String line : Files.readAllLines(ROOT.resolve("docs/configuration.md"))) {
            Matcher heading = SECTION.matcher(line);
            Matcher setting = SETTING.matcher(line);
            if (heading.matches()) {
                section = heading.group(1);
            } else if (setting.matches()) {
                defaults.computeIfAbsent(section + '.' + setting.group(1), first -> new HashSet<>())
                        .add(setting.group(2));
            }
        }
        return defaults;
    }

    /** Returns the value of a constant in bytes, nanoseconds or as it is. */
    private static BigDecimal amountOf(String type, String name) throws Exception {
        Object value = constant(type, name);
        if (value instanceof Duration duration) {
            return BigDecimal.valueOf(duration.toNanos());
        }
        return value instanceof DataSize size
                ? BigDecimal.valueOf(size.bytes())
                : new BigDecimal(String.valueOf(value));
    }

    private static BigDecimal amount(String text, String type, String name) throws Exception {
        Matcher amount = AMOUNT.matcher(text);
        assertThat(amount.matches()).as(text).isTrue();
        boolean isDuration = constant(type, name) instanceof Duration;
        assertThat(amount.group(2) != null && amount.group(2).matches("ms|s|min|h"))
                .as("%s.%s is a time", type, name)
                .isEqualTo(isDuration);
        long unit = amount.group(2) == null ? 1 : Objects.requireNonNull(UNITS.get(amount.group(2)));
        return new BigDecimal(amount.group(1)).multiply(BigDecimal.valueOf(unit));
    }

    private static Object constant(String type, String name) throws Exception {
        assertThat(mainSources).as(type).containsKey(type);
        String path = Objects.requireNonNull(mainSources.get(type)).toString();
        String binary = path.substring(path.lastIndexOf("/java/") + "/java/".length())
                .replace(".java", "")
                .replace('/', '.');
        Field field = Class.forName(binary).getDeclaredField(name);
        field.setAccessible(true);
        return field.get(null);
    }

    private static Stream<Path> walk(Path folder, int depth) {
        try (Stream<Path> files = Files.walk(folder, depth)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
