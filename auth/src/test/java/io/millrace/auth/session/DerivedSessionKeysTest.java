package io.millrace.auth.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.config.Secret;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that gateways with one secret accept each other's tokens while these live, by whatever clock. */
class DerivedSessionKeysTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final Duration LONGEST = Duration.ofHours(12);
    private static final IdentityRegistry TRAINER = IdentityRegistry.of(List.of(new IdentitySettings(
            "trainer", "TRAINER", Secret.of("trainer-secret"), List.of(AllowRule.parse("read:*")))));

    private Instant now = Instant.parse("2026-11-27T23:50:00Z");

    @Test
    void tokenIsAcceptedByAllThatHaveTheSecretAsLongAsItLives() throws Exception {
        Sessions issuer = sessions(SECRET, "prod", Duration.ZERO);
        Sessions early = sessions(SECRET, "prod", Duration.ofMinutes(15));
        Sessions late = sessions(SECRET, "prod", Duration.ofMinutes(-15));
        for (int minute = 0; minute < 2 * 24 * 60; minute += 7) {
            now = now.plus(Duration.ofMinutes(7));
            SessionCredentials issued = issue(issuer);
            SessionCredentials issuedEarly = issue(early);
            for (Sessions other : List.of(issuer, early, late)) {
                assertThat(accepts(other, issued)).as("at %s", now).isTrue();
                assertThat(accepts(other, issuedEarly)).as("at %s", now).isTrue();
            }
            now = now.plus(LONGEST);
            assertThat(accepts(early, issued)).as("until %s", now).isTrue();
            now = now.minus(LONGEST);
        }
    }

    @Test
    void keyIsReplacedEachDayAndAcceptedForOneMore() throws Exception {
        Sessions sessions = sessions(SECRET, "prod", Duration.ZERO);
        SessionCredentials first = issue(sessions);

        now = now.plus(DerivedSessionKeys.PERIOD);
        assertThat(key(issue(sessions))).isNotEqualTo(key(first));
        assertThat(accepts(sessions, first)).isTrue();
        now = now.plus(DerivedSessionKeys.PERIOD);

        assertThat(accepts(sessions, first)).isFalse();
    }

    @Test
    void othersHaveOtherKeys() throws Exception {
        SessionCredentials issued = issue(sessions(SECRET, "prod", Duration.ZERO));

        assertThat(accepts(sessions(SECRET, "prod", Duration.ZERO), issued)).isTrue();
        assertThat(accepts(sessions(SECRET, "test", Duration.ZERO), issued)).isFalse();
        assertThat(accepts(sessions(SECRET + "0", "prod", Duration.ZERO), issued))
                .isFalse();
    }

    /** A memory of decrypted tokens is kept for each list of keys: a token is not decrypted for each request. */
    @Test
    void listStaysUntilItsKeysChange() {
        DerivedSessionKeys keys = new DerivedSessionKeys(SECRET, "prod", () -> now);
        List<SessionKey> first = keys.get();

        now = now.plus(Duration.ofMinutes(9));
        assertThat(keys.get()).isSameAs(first);
        now = now.plus(Duration.ofMinutes(1));

        assertThat(keys.get()).isNotSameAs(first);
    }

    private Sessions sessions(String secret, String owner, Duration ahead) {
        return new Sessions(
                new DerivedSessionKeys(secret, owner, () -> now.plus(ahead)),
                new RoleRegistry(List.of()),
                TRAINER,
                Optional.empty(),
                () -> now);
    }

    private static SessionCredentials issue(Sessions sessions) {
        return sessions.issue(SessionGrant.toIdentity("trainer", "arn:aws:iam::000000000000:user/trainer"), LONGEST);
    }

    private static boolean accepts(Sessions sessions, SessionCredentials issued) throws Exception {
        return sessions.find(issued.accessKey(), issued.token().reveal()).isPresent();
    }

    /** Returns the beginning of a token: the version and the id of the key. */
    private static String key(SessionCredentials issued) {
        return issued.token().reveal().substring(0, 12);
    }
}
