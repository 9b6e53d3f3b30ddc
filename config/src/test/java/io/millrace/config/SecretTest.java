package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** Tests that a secret does not show in texts, hash codes or comparisons. */
class SecretTest {
    private static final Secret SECRET = Secret.of("wJalrXUtnFEMI");

    @Test
    void showsStarsInEveryText() {
        assertThat(SECRET).hasToString("***");
        assertThat("key " + SECRET + String.format("%s", SECRET)).isEqualTo("key ******");
    }

    @Test
    void revealsItselfOnlyWhenRequested() {
        assertThat(SECRET.reveal()).isEqualTo("wJalrXUtnFEMI");
    }

    @Test
    void equalsWhatHidesTheSameText() {
        assertThat(SECRET)
                .isEqualTo(Secret.of("wJalrXUtnFEMI"))
                .hasSameHashCodeAs(Secret.of("wJalrXUtnFEMI"))
                .isNotEqualTo(Secret.of("wJalrXUtnFEMi"))
                .isNotEqualTo(Secret.of("wJalrXUtnFEM"))
                .isNotEqualTo("wJalrXUtnFEMI");
    }

    @Test
    void hashCodeReportsNothing() {
        assertThat(SECRET).hasSameHashCodeAs(Secret.of("another"));
    }

    @Test
    void isNeverEmpty() {
        assertThatIllegalArgumentException().isThrownBy(() -> Secret.of(""));
    }
}
