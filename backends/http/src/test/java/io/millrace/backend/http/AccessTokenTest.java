package io.millrace.backend.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Tests that a token hides its value and fits a header. */
class AccessTokenTest {
    private static final Instant EXPIRY = Instant.parse("2026-11-24T10:00:00Z");

    @Test
    void textFormHidesTheValue() {
        assertThat(new AccessToken("secret", EXPIRY).toString()).doesNotContain("secret");
    }

    @Test
    void valueThatDoesNotFitAHeaderIsRefusedWithoutBeingNamed() {
        assertThatThrownBy(() -> new AccessToken("a\r\nb", EXPIRY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("a\r\n");
    }
}
