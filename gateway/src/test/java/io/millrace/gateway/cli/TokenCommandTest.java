package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.AllowRule;
import io.millrace.auth.AuthSettings;
import io.millrace.auth.Identities;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.Tokens;
import io.millrace.config.Secret;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A token speaks for the key it was made of, for as long as was asked for. */
class TokenCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void theServerTakesIt() throws Exception {
        Shell.Result result = keyed().run("token", "--hours", "1");

        assertThat(result.code()).isZero();
        assertThat(verifier(Duration.ofMinutes(59)).verify(result.out().strip()).name())
                .isEqualTo("alice");
    }

    @Test
    void oneForNotificationsIsGoodForAYearAndForNothingElse() throws Exception {
        String token = keyed().run("token", "--notifications").out().strip();

        assertThat(verifier(Duration.ofDays(365))
                        .verify(token, EnumSet.allOf(Tokens.Use.class))
                        .name())
                .isEqualTo("alice");
        assertThatThrownBy(() -> verifier(Duration.ZERO).verify(token)).hasMessageContaining("audience");
        assertThatThrownBy(() -> verifier(Duration.ofDays(367)).verify(token, EnumSet.allOf(Tokens.Use.class)))
                .hasMessageContaining("expired");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "13", "-1"})
    void noOtherTimeIsTaken(String time) {
        Shell.Result result = keyed().run("token", "--hours=" + time);

        assertThat(result).isEqualTo(new Shell.Result(2, "", "millrace: --hours: is 1 to 12" + System.lineSeparator()));
    }

    private Shell keyed() {
        return new Shell(folder).with("AWS_ACCESS_KEY_ID", "ALICE01").with("AWS_SECRET_ACCESS_KEY", "alice-secret");
    }

    private static Tokens verifier(Duration later) {
        Instant now = Instant.now().plus(later);
        return new Tokens(
                Identities.of(List.of(new IdentitySettings(
                        "alice", "ALICE01", Secret.of("alice-secret"), List.of(AllowRule.parse("*"))))),
                AuthSettings.defaults(),
                InstantSource.fixed(now));
    }
}
