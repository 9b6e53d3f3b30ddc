package io.millrace.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * No line of the sources is longer than the formatter's, which leaves long those that it cannot break: literals without
 * a space, most of all. People break them.
 */
class LineLengthTest {
    private static final int MOST_CHARACTERS = 120;
    private static final String TEXT_BLOCK = "\"\"\"";

    /** A link in a comment, which is one word. */
    private static final Pattern LINK = Pattern.compile("^ *(?:\\*|//) .*\\bhttps?://\\S{40,}.*$");

    @Test
    void noLineIsLongerThanTheFormattersButDataAndLinks() throws IOException {
        List<String> longLines = new ArrayList<>();
        for (Path file : SourceFiles.of("")) {
            longLines.addAll(longLines(file.toString(), Files.readAllLines(file)));
        }

        assertThat(longLines).isEmpty();
    }

    @Test
    void codeIsFoundAndTextBlocksAndLinksAreNot() {
        String code = "x".repeat(MOST_CHARACTERS + 1);
        String link = " * <a href=\"https://example.org/" + code + "\">there</a>";
        List<String> lines = List.of(
                code, code.substring(1), link, "String a = \"\"\"", code, code + "\"\"\";", "\u00e4".repeat(120), code);

        assertThat(longLines("A.java", lines))
                .containsExactly("A.java:1 has 121 characters", "A.java:8 has 121 characters");
    }

    /** A line of a text block is data; a break would be one of its value. */
    private static List<String> longLines(String file, List<String> lines) {
        List<String> found = new ArrayList<>();
        boolean isText = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            long characters = line.codePoints().count();
            if (characters > MOST_CHARACTERS && !isText && !LINK.matcher(line).matches()) {
                found.add(file + ":" + (i + 1) + " has " + characters + " characters");
            }
            boolean beginsOrEndsText = line.split(TEXT_BLOCK, -1).length % 2 == 0;
            isText ^= beginsOrEndsText;
        }
        return found;
    }
}
