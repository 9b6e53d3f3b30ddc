package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.session.CredentialFinder;
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

/** Tests that a token authenticates its access key for the requested lifetime. */
class MakeTokenCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void theServerTakesIt() throws Exception {
        CommandHarness.Result result = keyed().run("token", "--hours", "1");

        assertThat(result.code()).isZero();
        assertThat(verifier(Duration.ofMinutes(59))
                        .verify(result.out().strip())
                        .principal()
                        .name())
                .isEqualTo("alice");
    }

    @Test
    void notificationTokenHasOneUseForAYear() throws Exception {
        String token = keyed().run("token", "--notifications").out().strip();

        assertThat(verifier(Duration.ofDays(365))
                        .verify(token, EnumSet.allOf(BearerTokens.Use.class))
                        .principal()
                        .name())
                .isEqualTo("alice");
        assertThatThrownBy(() -> verifier(Duration.ZERO).verify(token)).hasMessageContaining("audience");
        assertThatThrownBy(() -> verifier(Duration.ofDays(367)).verify(token, EnumSet.allOf(BearerTokens.Use.class)))
                .hasMessageContaining("expired");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "13", "-1"})
    void noOtherTimeIsTaken(String time) {
        CommandHarness.Result result = keyed().run("token", "--hours=" + time);

        assertThat(result)
                .isEqualTo(new CommandHarness.Result(
                        2, "", "millrace: --hours: must be from 1 to 12" + System.lineSeparator()));
    }

    private CommandHarness keyed() {
        return new CommandHarness(folder)
                .with("AWS_ACCESS_KEY_ID", "ALICE01")
                .with("AWS_SECRET_ACCESS_KEY", "alice-secret");
    }

    private static BearerTokens verifier(Duration later) {
        Instant now = Instant.now().plus(later);
        return new BearerTokens(
                CredentialFinder.of(
                        IdentityRegistry.of(List.of(new IdentitySettings(
                                "alice", "ALICE01", Secret.of("alice-secret"), List.of(AllowRule.parse("*"))))),
                        () -> now),
                SignatureSettings.defaults(),
                InstantSource.fixed(now));
    }
}
