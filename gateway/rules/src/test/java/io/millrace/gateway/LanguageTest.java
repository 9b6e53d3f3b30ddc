package io.millrace.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks that names of types and the first sentences of their Javadoc speak the language of docs/glossary.md. Of other
 * words {@code .ci/words} warns on lines that a change adds.
 */
class LanguageTest {
    private static final Pattern NAME = Pattern.compile("\\b(?:class|interface|record|enum)\\s+([A-Z]\\w*)");
    private static final Pattern WORD = Pattern.compile("[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])");
    private static final Pattern NOT_CODE = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*|\"(?:\\\\.|[^\"\\\\])*+\"");

    private static final Pattern JAVADOC = Pattern.compile("(?s)/\\*\\*[\\s*]*(\\w+(?: \\w+)?).*?\\*/");

    /** The beginning of the declaration of a type or package, which follows its Javadoc. */
    private static final Pattern TYPE = Pattern.compile("\\s*(?:@[\\w.]+(?:\\([^)]*\\))?\\s*)*"
            + "(?:(?:public|private|protected|static|final|abstract|sealed|non-sealed)\\s+)*"
            + "(?:class|record|enum|interface|@interface|package)\\s");

    private static final List<String> FORBIDDEN_WORDS = words("forbidden-words.txt");

    private static final Set<String> FORBIDDEN_STARTS =
            Set.of("What", "Who", "Whether", "Whoever", "How", "Where", "When", "Why", "Says", "Tells");

    @Test
    void namesOfTypesHaveNoForbiddenWord() {
        List<String> wrong = new ArrayList<>();
        for (Path file : sources("")) {
            Matcher names = NAME.matcher(NOT_CODE.matcher(text(file)).replaceAll(""));
            while (names.find()) {
                if (hasForbiddenWord(names.group(1))) {
                    wrong.add(names.group(1) + " in " + file.getFileName());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void javadocOfTypesBeginsWithADefinition() {
        List<String> wrong = new ArrayList<>();
        for (Path file : sources("/src/main/")) {
            String text = text(file);
            Matcher javadoc = JAVADOC.matcher(text);
            while (javadoc.find()) {
                String start = javadoc.group(1);
                if (isForbiddenStart(start)
                        && TYPE.matcher(text)
                                .region(javadoc.end(), text.length())
                                .lookingAt()) {
                    wrong.add(file.getFileName() + " begins with " + start);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void namesOfTypesAreUnique() {
        Set<String> seen = new HashSet<>(Set.of("package-info.java"));
        List<String> twice = sources("").stream()
                .map(file -> file.getFileName().toString())
                .filter(name -> !name.equals("package-info.java") && !seen.add(name))
                .toList();

        assertThat(twice).isEmpty();
    }

    private static boolean isForbiddenStart(String words) {
        return FORBIDDEN_STARTS.contains(words.split(" ", -1)[0]) || words.equals("The same");
    }

    private static boolean hasForbiddenWord(String name) {
        List<String> parts =
                WORD.matcher(name).results().map(MatchResult::group).toList();
        return FORBIDDEN_WORDS.stream().anyMatch(line -> {
            String[] words = line.split(" except ", -1);
            boolean isOnlyFirst = words[0].endsWith("...");
            String word = isOnlyFirst ? words[0].substring(0, words[0].length() - 3) : words[0];
            return parts.stream().limit(isOnlyFirst ? 1 : parts.size()).anyMatch(word::equalsIgnoreCase)
                    && (words.length == 1 || !words[1].equals(name));
        });
    }

    private static List<String> words(String file) {
        try (var in = LanguageTest.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> sources(String part) {
        try {
            return SourceFiles.of(part);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
