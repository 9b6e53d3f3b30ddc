package io.millrace.backend.spi.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A name that is let through here becomes a part of paths and URLs. */
class BucketNameTest {
    private static final Pattern RULE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9_-]");

    @Test
    void acceptsExactlyTheNamesOfTheRule() {
        SplittableRandom random = new SplittableRandom(9);
        String letters = "aZ09..-_/ \u00e4";
        for (int i = 0; i < 50_000; i++) {
            StringBuilder name = new StringBuilder("b".repeat(random.nextInt(3) == 0 ? 249 : 0));
            for (int length = random.nextInt(9); length > 0; length--) {
                name.append(letters.charAt(random.nextInt(letters.length())));
            }
            String text = name.toString();
            assertThat(BucketName.isValid(text))
                    .as(text)
                    .isEqualTo(RULE.matcher(text).matches() && !text.contains(".."));
        }
    }

    @Test
    void noOtherCanBeMade() {
        assertThatIllegalArgumentException().isThrownBy(() -> new BucketName("../etc"));
    }
}
