package io.millrace.gateway.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.testkit.KeyTorture;
import org.junit.jupiter.api.Test;

/** A key must not write a line of the log, nor to the terminal of whoever reads it. */
class LogTextTest {
    @Test
    void everyKeyIsOneLineOfVisibleCharacters() {
        for (ObjectKey key : KeyTorture.keys()) {
            assertThat(LogText.escape(key.value()))
                    .doesNotContainPattern(
                            "[\\p{Cntrl}\\u0080-\\u009f\\u2028\\u2029\\u200b-\\u200f\\u202a-\\u202e\\ufeff]")
                    .doesNotContainPattern("(?<!\\\\)(?:\\\\\\\\)*\"");
        }
    }

    @Test
    void plainTextStaysAndLongTextIsCut() {
        assertThat(LogText.escape("/bucket/key \u00e4")).isEqualTo("/bucket/key \u00e4");
        assertThat(LogText.escape("a\n\"\\\u001b[31m")).isEqualTo("a\\u000a\\\"\\\\\\u001b[31m");
        assertThat(LogText.escape("x".repeat(2049))).isEqualTo("x".repeat(2048) + "\u2026");
    }
}
