package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/**
 * A page of docs/ that is written from the code, as a whole or in part: compared by tests, and written by {@code
 * .ci/pages}.
 */
public final class GeneratedPage {
    private static final boolean IS_WRITTEN = Boolean.getBoolean("pages.write");

    private GeneratedPage() {}

    /**
     * Fails if a page is not what the code makes of it; with {@code -Dpages.write=true}, writes it.
     *
     * @param generate takes the text of the page, and returns it with what is generated
     */
    public static void check(Path page, UnaryOperator<String> generate) throws IOException {
        String text = Files.readString(page);
        String right = generate.apply(text);
        if (IS_WRITTEN && !text.equals(right)) {
            Files.writeString(page, right);
        } else {
            assertThat(text)
                    .as("%s is stale: run .ci/pages, and commit what it writes", page.getFileName())
                    .isEqualTo(right);
        }
    }
}
