package io.millrace.gateway.objects.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.DifficultKeys;
import org.junit.jupiter.api.Test;

/** A key must not write a line of the log, nor to the terminal of whoever reads it. */
class LogSanitizerTest {
    @Test
    void everyKeyIsOneLineOfVisibleCharacters() {
        for (ObjectKey key : DifficultKeys.keys()) {
            assertThat(LogSanitizer.escape(key.value()))
                    .doesNotContainPattern(
                            "[\\p{Cntrl}\\u0080-\\u009f\\u2028\\u2029\\u200b-\\u200f\\u202a-\\u202e\\ufeff]")
                    .doesNotContainPattern("(?<!\\\\)(?:\\\\\\\\)*\"");
        }
    }

    @Test
    void plainTextStaysAndLongTextIsCut() {
        assertThat(LogSanitizer.escape("/bucket/key \u00e4")).isEqualTo("/bucket/key \u00e4");
        assertThat(LogSanitizer.escape("a\n\"\\\u001b[31m")).isEqualTo("a\\u000a\\\"\\\\\\u001b[31m");
        assertThat(LogSanitizer.escape("x".repeat(2049))).isEqualTo("x".repeat(2048) + "\u2026");
    }
}
