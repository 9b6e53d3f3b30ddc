package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SessionAncestor;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.session.Revocation;
import io.millrace.auth.session.RevocationTarget;
import io.millrace.auth.session.Revocations;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.RoleSettings;
import io.millrace.auth.session.SessionCredentials;
import io.millrace.auth.session.SessionGrant;
import io.millrace.auth.session.SessionKey;
import io.millrace.auth.session.Sessions;
import io.millrace.config.Secret;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionCredentialsTest {
    private static final String TOKEN = "x-amz-security-token";

    private Instant now = TestKeys.NOW;
    private final Revocations revocations = new Revocations();
    private IdentityRegistry identities = TestKeys.identities();
    private final SessionCredentials pod = sessions(1).issue(grant("pod-1"), Duration.ofMinutes(15));

    @Test
    void signatureWithTokenIsThatOfTheRole() throws Exception {
        assertThat(verifier(1).verify(signed(pod)).principal().name()).isEqualTo("assumed-role/trainer/pod-1");
    }

    @Test
    void rotatedKeyStillDecrypts() throws Exception {
        assertThat(verifier(2, 1).verify(signed(pod)).principal().name()).isEqualTo("assumed-role/trainer/pod-1");
        TestSigner.assertRefused(verifier(2), signed(pod), Code.INVALID_TOKEN);
    }

    @Test
    void sessionEndsOnTime() throws Exception {
        RequestVerifier verifier = verifier(1);
        verifier.verify(signed(pod));
        now = pod.expiresAt();
        TestSigner.assertRefused(verifier, signed(pod), Code.EXPIRED_TOKEN);
    }

    @Test
    void tokenIsOfOneAccessKey() {
        SessionCredentials other = sessions(1).issue(grant("pod-2"), Duration.ofMinutes(15));
        SessionCredentials mixed =
                new SessionCredentials(pod.accessKey(), pod.secretKey(), other.token(), pod.expiresAt());
        TestSigner.assertRefused(verifier(1), signed(mixed), Code.INVALID_TOKEN);
    }

    @Test
    void tokenOfAnotherFormatIsRefused() {
        byte[] token = Base64.getUrlDecoder().decode(pod.token().reveal());
        token[0]--;
        Secret older = Secret.of(Base64.getUrlEncoder().withoutPadding().encodeToString(token));
        TestSigner.assertRefused(
                verifier(1),
                signed(new SessionCredentials(pod.accessKey(), pod.secretKey(), older, pod.expiresAt())),
                Code.INVALID_TOKEN);
    }

    @Test
    void accessKeyWithoutItsTokenIsUnknown() {
        RequestSigner signer = new RequestSigner(pod.accessKey(), pod.secretKey(), "us-east-1");
        TestSigner.assertRefused(
                verifier(1), TestSigner.signed(signer, Map.of(), PayloadType.UNSIGNED), Code.INVALID_ACCESS_KEY_ID);
    }

    @Test
    void tokenWithoutASignatureOfVersion4IsRefused() {
        TestSigner.assertRefused(verifier(1), SentRequest.to("GET", "/b/k").withHeader(TOKEN, "t"), Code.INVALID_TOKEN);
    }

    /** Where the token of a URL is a parameter, the signature is proved without this one, whoever else reads it. */
    @Test
    void tokenInAHeaderBesideAPresignedUrlIsRefused() throws Exception {
        assertThat(verifier(1)
                        .verify(presigned("x-amz-request-payer"))
                        .principal()
                        .name())
                .isEqualTo("trainer");
        TestSigner.assertRefused(verifier(1), presigned(TOKEN), Code.INVALID_TOKEN);
        TestSigner.assertRefused(verifier(1), TestSigner.presigned().withHeader(TOKEN, "t"), Code.INVALID_TOKEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "trainer"})
    void sessionEndsWithTheKeysItWasMadeWith(String role) throws Exception {
        SessionGrant grant = new SessionGrant(role, "trainer", "arn", "trainer", "");
        SessionCredentials session = sessions(1).issue(grant, Duration.ofMinutes(15));
        RequestVerifier verifier = verifier(1);
        verifier.verify(signed(session));
        verifier(1).verify(signed(session));

        identities = IdentityRegistry.of(List.of(new IdentitySettings(
                "trainer", TestKeys.TRAINER, Secret.of("another"), List.of(AllowRule.parse("*")))));
        TestSigner.assertRefused(verifier(1), signed(session), Code.EXPIRED_TOKEN);
        verifier(1).verify(signed(sessions(1).issue(grant, Duration.ofMinutes(15))));
        verifier(1).verify(signed(pod));

        identities = IdentityRegistry.of(List.of());
        TestSigner.assertRefused(verifier(1), signed(session), Code.INVALID_TOKEN);
    }

    @Test
    void sessionOfAnIdentityWithoutAFingerprintHasEnded() throws Exception {
        identities = IdentityRegistry.of(List.of());
        SessionCredentials session =
                sessions(1).issue(new SessionGrant("trainer", "old", "arn", "trainer", ""), Duration.ofMinutes(15));
        identities = TestKeys.identities();
        TestSigner.assertRefused(verifier(1), signed(session), Code.EXPIRED_TOKEN);
    }

    @ParameterizedTest
    @CsvSource({
        "SESSION, assumed-role/trainer/pod-1, true",
        "SESSION, assumed-role/trainer/pod-2, false",
        "SESSION, KEY, true",
        "ROLE, trainer, true",
        "ROLE, reader, false",
        "ALL, '', true",
        "IDENTITY, trainer, false",
    })
    void revokedSessionIsRefused(RevocationTarget target, String name, boolean refused) throws Exception {
        RequestVerifier verifier = verifier(1);
        verifier.verify(signed(pod));
        String named = name.equals("KEY") ? pod.accessKey() : name;
        revocations.set(List.of(new Revocation(target, named, TestKeys.NOW.minusMillis(1))));
        verifier.verify(signed(pod));

        revocations.set(List.of(new Revocation(target, named, TestKeys.NOW)));
        if (refused) {
            TestSigner.assertRefused(verifier, signed(pod), Code.REVOKED);
            now = TestKeys.NOW.plusMillis(1);
            verifier.verify(signed(sessions(1).issue(grant("pod-1"), Duration.ofMinutes(15))));
        } else {
            verifier.verify(signed(pod));
        }
    }

    @Test
    void revokedIdentityIsRefusedUntilThatIsLifted() throws Exception {
        SentRequest version2 = Version2Test.presigned();
        RequestVerifier verifier = verifier(1);
        revocations.set(List.of(new Revocation(RevocationTarget.IDENTITY, "trainer", Instant.EPOCH)));
        for (SentRequest sent : List.of(TestSigner.signed(), TestSigner.presigned(), version2)) {
            TestSigner.assertRefused(verifier, sent, Code.REVOKED);
        }
        verifier.verify(signed(pod));
        revocations.set(List.of());
        for (SentRequest sent : List.of(TestSigner.signed(), TestSigner.presigned(), version2)) {
            assertThat(verifier.verify(sent).principal().name()).isEqualTo("trainer");
        }
    }

    @Test
    void revokedIdentityEndsTheSessionsItAssumed() throws Exception {
        Principal session =
                Principal.ofSession("trainer", "pod-1", Map.of(), List.of(AllowRule.parse("read:*")), List.of());
        revocations.set(List.of(new Revocation(RevocationTarget.IDENTITY, "alice", Instant.EPOCH)));
        assertThat(revocations.isRevoked(session.assumedBy("alice"), TestKeys.NOW))
                .isTrue();
        assertThat(revocations.isRevoked(session.assumedBy("bob"), TestKeys.NOW))
                .isFalse();
        assertThat(revocations.isRevoked(session, TestKeys.NOW)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "SESSION, assumed-role/trainer/pod-1, true",
        "SESSION, assumed-role/trainer/pod-2, true",
        "SESSION, KEY, true",
        "SESSION, assumed-role/trainer/pod-4, false",
        "ROLE, earlier, true",
    })
    void revocationEndsTheSessionsThatWereAssumedByIt(RevocationTarget target, String name, boolean refused)
            throws Exception {
        SessionCredentials last = sessions(1)
                .issue(
                        grant("pod-3")
                                .tagged(Map.of("team", "ml"))
                                .chained(List.of(
                                        new SessionAncestor(
                                                pod.accessKey(), "assumed-role/trainer/pod-1", TestKeys.NOW),
                                        new SessionAncestor("ASIA2", "assumed-role/trainer/pod-2", TestKeys.NOW),
                                        new SessionAncestor("ASIA3", "assumed-role/earlier/pod", TestKeys.NOW))),
                        Duration.ofMinutes(15));
        RequestVerifier verifier = verifier(1);
        String named = name.equals("KEY") ? pod.accessKey() : name;
        revocations.set(List.of(new Revocation(target, named, TestKeys.NOW.minusMillis(1))));
        assertThat(verifier.verify(signed(last)).principal().name()).isEqualTo("assumed-role/trainer/pod-3");

        revocations.set(List.of(new Revocation(target, named, TestKeys.NOW)));

        if (refused) {
            TestSigner.assertRefused(verifier, signed(last), Code.REVOKED);
        } else {
            verifier.verify(signed(last));
        }
    }

    @ParameterizedTest
    @CsvSource({"SESSIONS_OF, alice, true", "SESSIONS_OF, bob, false", "ALL, '', true"})
    void whatARevokedSessionHasAssumedSinceEndsToo(RevocationTarget target, String name, boolean revoked) {
        SessionAncestor before =
                new SessionAncestor("ASIA9", "assumed-role/trainer/pod-9", TestKeys.NOW.minusSeconds(3600));
        Principal since = Principal.ofSession(
                        "trainer", "pod-3", Map.of(), List.of(AllowRule.parse("read:*")), List.of())
                .assumedBy("alice");

        revocations.set(List.of(new Revocation(target, name, TestKeys.NOW.minusSeconds(60))));

        assertThat(revocations.isRevoked(since, TestKeys.NOW)).isFalse();
        assertThat(revocations.isAnyRevoked(since, List.of(before))).isEqualTo(revoked);
    }

    @Test
    void sessionsOfOneOwnerAreAccountableTogetherWhateverTheirNames() throws Exception {
        SessionCredentials other = sessions(1).issue(grant("pod-2"), Duration.ofMinutes(15));
        SessionGrant assumed = new SessionGrant("trainer", "pod-3", "arn", "trainer", "");

        assertThat(verifier(1).verify(signed(pod)).principal().accountableName())
                .isEqualTo(verifier(1).verify(signed(other)).principal().accountableName())
                .isEqualTo("subject");
        assertThat(verifier(1)
                        .verify(signed(sessions(1).issue(assumed, Duration.ofMinutes(15))))
                        .principal()
                        .accountableName())
                .isEqualTo("trainer");
    }

    @Test
    void revocationOfAllEndsUrlsButNotKeys() throws Exception {
        RequestVerifier verifier = verifier(1);
        revocations.set(List.of(new Revocation(RevocationTarget.ALL, "", TestKeys.NOW)));
        TestSigner.assertRefused(verifier, TestSigner.presigned(), Code.REVOKED);
        verifier.verify(TestSigner.signed());
    }

    private static SentRequest signed(SessionCredentials credentials) {
        RequestSigner signer = new RequestSigner(credentials.accessKey(), credentials.secretKey(), "us-east-1");
        return TestSigner.signed(signer, Map.of(TOKEN, credentials.token().reveal()), PayloadType.UNSIGNED);
    }

    /** The trainer's URL that signs a header as well. */
    private static SentRequest presigned(String header) {
        SentRequest sent = TestSigner.presigned()
                .withHeader(header, "t")
                .withParameterChanged("X-Amz-SignedHeaders", "host;" + header);
        return TestSignature.presigned(sent, PayloadType.UNSIGNED.text());
    }

    private static SessionGrant grant(String name) {
        return SessionGrant.toWebIdentity("trainer", name, "subject", "");
    }

    private RequestVerifier verifier(int... keys) {
        return new RequestVerifier(
                new CredentialFinder(List.of(identities, sessions(keys)), revocations, () -> now),
                SignatureSettings.defaults(),
                () -> TestKeys.NOW);
    }

    private Sessions sessions(int... keys) {
        List<SessionKey> ring =
                Arrays.stream(keys).mapToObj(SessionCredentialsTest::key).toList();
        RoleSettings trainer = new RoleSettings(
                "trainer",
                Optional.empty(),
                List.of(),
                Map.of(),
                List.of("user/trainer"),
                List.of(),
                List.of(AllowRule.parse("read:*")),
                List.of(),
                Duration.ofHours(1));
        return new Sessions(() -> ring, new RoleRegistry(List.of(trainer)), identities, Optional.empty(), () -> now);
    }

    private static SessionKey key(int fill) {
        byte[] bytes = new byte[SessionKey.BYTES];
        Arrays.fill(bytes, (byte) fill);
        return new SessionKey(bytes);
    }
}
