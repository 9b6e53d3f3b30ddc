package io.millrace.auth.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.RequestSource;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that a browser's cookie proves its session until it ends, and that nothing else does. */
class BrowserSessionTest {
    private static final SessionGrant ADA = SessionGrant.toWebIdentity("viewer", "ada", "https://idp 1", "");
    private static final List<SessionKey> KEYS = List.of(new SessionKey(new byte[32]));

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final Sessions sessions = new Sessions(
            () -> KEYS,
            new RoleRegistry(List.of(new RoleSettings(
                    "viewer",
                    Optional.of("https://idp"),
                    List.of("*"),
                    Map.of(),
                    List.of(),
                    List.of(),
                    List.of(AllowRule.parse("view:*")),
                    List.of(),
                    Duration.ofHours(1)))),
            IdentityRegistry.of(List.of()),
            Optional.empty(),
            () -> now);
    private final CredentialFinder credentials = CredentialFinder.of(sessions, () -> now);

    @Test
    void cookieProvesItsSessionUntilItExpires() throws Exception {
        String cookie =
                sessions.issueToBrowser(ADA, Duration.ofMinutes(15)).cookie().reveal();

        assertThat(Sessions.ofBrowser(cookie, credentials).principal().name()).isEqualTo("assumed-role/viewer/ada");
        now = now.plus(Duration.ofMinutes(15));
        assertRefused(cookie);
    }

    /** The tokens of STS are in the headers of requests and in presigned URLs. */
    @Test
    void tokenOfStsIsNoCookie() {
        SessionCredentials issued = sessions.issue(ADA, Duration.ofMinutes(15));
        String token = issued.token().reveal();
        String cookie =
                sessions.issueToBrowser(ADA, Duration.ofMinutes(15)).cookie().reveal();

        assertRefused(issued.accessKey() + '.' + token);
        assertRefused(cookie.substring(0, cookie.indexOf('.') + 1) + token);
        assertRefused(token);
        assertRefused("");
        assertRefused(cookie.substring(0, cookie.length() - 2));
        assertRefused("MRWB.".concat("A".repeat(5000)));
    }

    @Test
    void sealedSignInIsNoSession() {
        SignInSealer sealer = new SignInSealer(() -> KEYS);
        PendingSignIn pending = PendingSignIn.start(now);
        String sealed = sealer.seal(pending);

        assertThat(sealer.open(sealed)).contains(pending);
        assertThat(sealer.open(sealed.substring(1))).isEmpty();
        assertThat(sealer.open(
                        sessions.issue(ADA, Duration.ofMinutes(15)).token().reveal()))
                .isEmpty();
        assertRefused("MRWBsign-in." + sealed);
        assertThat(pending.toString()).doesNotContain(pending.verifier(), pending.state(), pending.nonce());
    }

    @Test
    void signInEndsOnceAndInTime() {
        SignInLimiter limiter = new SignInLimiter(() -> now);
        PendingSignIn first = PendingSignIn.start(now);
        PendingSignIn late = PendingSignIn.start(now);

        assertThat(limiter.mayEnd(first)).isTrue();
        assertThat(limiter.mayEnd(first)).isFalse();
        assertThat(limiter.mayEnd(PendingSignIn.start(now.plusSeconds(120)))).isFalse();
        now = now.plus(SignInLimiter.LONGEST);
        assertThat(limiter.mayEnd(late)).isFalse();
        assertThat(limiter.mayEnd(first)).isFalse();
    }

    @Test
    void rateIsLimitedByNetwork() throws Exception {
        SignInLimiter limiter = new SignInLimiter(() -> now);

        IntStream.range(0, 30)
                .forEach(i ->
                        assertThat(limiter.admits(client("2001:db8::" + i))).isTrue());
        assertThat(limiter.admits(client("2001:db8::ffff"))).isFalse();
        assertThat(limiter.admits(client("2001:db8:0:1::1"))).isTrue();
        assertThat(limiter.admits(client("192.0.2.1"))).isTrue();
        now = now.plusSeconds(61);
        assertThat(limiter.admits(client("2001:db8::1"))).isTrue();
    }

    private static RequestSource client(String address) {
        try {
            return new RequestSource(InetAddress.getByName(address), false);
        } catch (java.net.UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private void assertRefused(String cookie) {
        assertThatThrownBy(() -> Sessions.ofBrowser(cookie, credentials))
                .isInstanceOf(RequestVerificationException.class);
    }
}
