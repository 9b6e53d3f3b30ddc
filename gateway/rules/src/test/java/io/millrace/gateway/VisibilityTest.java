package io.millrace.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Holds how much packages show, so that it can only become less: tighten a bound when a change allows it. What others
 * cannot see can be changed without asking them.
 */
class VisibilityTest {
    private static final int MOST_EXPORTED_PACKAGES = 56;
    private static final int MOST_PUBLIC_FOR_THEIR_OWN_MODULE = 144;
    private static final int LEAST_PERCENT_PACKAGE_PRIVATE = 60;

    private static final Pattern SOURCE = Pattern.compile("(.+)/src/(main|test)/java/(.+)/(\\w+)\\.java");
    private static final Pattern FULL_NAME = Pattern.compile("\\bio\\.millrace(?:\\.[a-z0-9]+)+\\.[A-Z]\\w*");
    private static final Pattern WORD = Pattern.compile("\\b[A-Z]\\w*");

    private static List<TypeSource> types;

    /** Modules by the full name of a type that their sources use. */
    private static Map<String, Set<String>> users;

    @BeforeAll
    static void readSources() throws IOException {
        types = new ArrayList<>();
        users = new HashMap<>();
        for (Path file : SourceFiles.of("/src/")) {
            Matcher path = SOURCE.matcher(file.toString());
            if (!path.matches()) {
                continue;
            }
            String module = path.group(1);
            String packageName = path.group(3).replace('/', '.');
            String text = Files.readString(file);
            for (String name : namesIn(text, packageName)) {
                users.computeIfAbsent(name, any -> new HashSet<>()).add(module);
            }
            if (path.group(2).equals("main")) {
                types.add(new TypeSource(module, packageName + "." + path.group(4), isPublic(text)));
            }
        }
        assertThat(types).hasSizeGreaterThan(1000);
    }

    /** Returns the types that a source may mean: those that it imports or names in full, and any of its own package. */
    private static Set<String> namesIn(String text, String packageName) {
        Set<String> names =
                FULL_NAME.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
        WORD.matcher(text).results().forEach(word -> names.add(packageName + "." + word.group()));
        return names;
    }

    /** Whether the type of a file is public: its declaration is the only one at the beginning of a line. */
    private static boolean isPublic(String text) {
        return text.lines().anyMatch(line -> line.startsWith("public "));
    }

    @Test
    void fewPackagesAreExported() throws IOException {
        assertThat(ArchitectureTest.exportedPackages()).hasSizeLessThanOrEqualTo(MOST_EXPORTED_PACKAGES);
    }

    /** A test in another module is a use too. */
    @Test
    void fewTypesArePublicForTheirOwnModuleAlone() {
        List<String> own = types.stream()
                .filter(TypeSource::isPublic)
                .filter(type -> users.getOrDefault(type.name(), Set.of()).equals(Set.of(type.module())))
                .map(TypeSource::name)
                .sorted()
                .toList();

        assertThat(own).hasSizeLessThanOrEqualTo(MOST_PUBLIC_FOR_THEIR_OWN_MODULE);
    }

    @Test
    void mostTypesArePackagePrivate() {
        long hidden = types.stream().filter(type -> !type.isPublic()).count();

        assertThat(100.0 * hidden / types.size()).isGreaterThanOrEqualTo(LEAST_PERCENT_PACKAGE_PRIVATE);
    }

    private record TypeSource(String module, String name, boolean isPublic) {}
}
