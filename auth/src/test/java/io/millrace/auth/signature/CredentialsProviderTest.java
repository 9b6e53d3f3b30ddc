package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.Credential;
import io.millrace.auth.CredentialsProvider;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.session.Revocation;
import io.millrace.auth.session.RevocationTarget;
import io.millrace.auth.session.Revocations;
import io.millrace.config.Secret;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests that a source of credentials is all that another kind of identities needs, with one that only this test has.
 */
class CredentialsProviderTest {
    private static final Secret SECRET = Secret.of("of a guest");
    private static final Instant END = TestKeys.NOW.plusSeconds(60);
    private static final RequestSigner GUEST = new RequestSigner("GUEST-eve", SECRET, "us-east-1");

    private Instant now = TestKeys.NOW;
    private final Revocations revocations = new Revocations();
    private final CredentialFinder credentials =
            new CredentialFinder(List.of(TestKeys.identities(), new Guests()), revocations, () -> now);
    private final RequestVerifier verifier =
            new RequestVerifier(credentials, SignatureSettings.defaults(), () -> TestKeys.NOW);

    /** Guests, each with the same secret and for a minute, whose ticket is a token. */
    private static final class Guests implements CredentialsProvider {
        private static final String PREFIX = "GUEST-";

        @Override
        public Optional<Credential> find(String accessKey, @Nullable String token) {
            boolean isGuest = accessKey.startsWith(PREFIX) && (token == null || token.equals("ticket"));
            return isGuest ? named(accessKey.substring(PREFIX.length())) : Optional.empty();
        }

        @Override
        public Optional<Credential> named(String principal) {
            Principal guest = new Principal(principal, List.of(AllowRule.parse("read:*")));
            return Optional.of(new Credential(PREFIX + principal, SECRET.reveal(), guest, TestKeys.NOW, END));
        }
    }

    @Test
    void itsKeysSignInEveryWay() throws Exception {
        URI url = GUEST.presign(TestSigner.OBJECT, "GET", Duration.ofHours(1), TestKeys.NOW);
        SentRequest presigned = SentRequest.to("GET", url.getRawPath() + '?' + url.getRawQuery());
        BearerTokens tokens = new BearerTokens(credentials, SignatureSettings.defaults(), () -> TestKeys.NOW);
        String bearer = BearerTokens.make("GUEST-eve", SECRET, Duration.ofHours(1), TestKeys.NOW);

        assertThat(principal(signed())).isEqualTo("eve");
        assertThat(principal(signedWith("ticket"))).isEqualTo("eve");
        assertThat(principal(presigned)).isEqualTo("eve");
        assertThat(principal(TestSigner.signed())).isEqualTo("trainer");
        assertThat(tokens.verify(bearer).principal().name()).isEqualTo("eve");
        assertThat(credentials.named("eve")).map(Principal::name).contains("eve");
        TestSigner.assertRefused(verifier, signedWith("another"), Code.INVALID_TOKEN);
    }

    @Test
    void itsCredentialsExpire() throws Exception {
        now = END.minusNanos(1);
        assertThat(principal(signed())).isEqualTo("eve");
        now = END;
        TestSigner.assertRefused(verifier, signed(), Code.EXPIRED_TOKEN);
        assertThat(principal(TestSigner.signed())).isEqualTo("trainer");
    }

    @Test
    void itsPrincipalsAreRevoked() throws Exception {
        assertThat(principal(signed())).isEqualTo("eve");
        revocations.set(List.of(new Revocation(RevocationTarget.IDENTITY, "eve", TestKeys.NOW)));
        TestSigner.assertRefused(verifier, signed(), Code.REVOKED);
        assertThat(principal(TestSigner.signed())).isEqualTo("trainer");
    }

    private String principal(SentRequest sent) throws Exception {
        return verifier.verify(sent).principal().name();
    }

    private static SentRequest signed() {
        return TestSigner.signed(GUEST, Map.of(), PayloadType.UNSIGNED);
    }

    private static SentRequest signedWith(String token) {
        return TestSigner.signed(GUEST, Map.of("x-amz-security-token", token), PayloadType.UNSIGNED);
    }
}
