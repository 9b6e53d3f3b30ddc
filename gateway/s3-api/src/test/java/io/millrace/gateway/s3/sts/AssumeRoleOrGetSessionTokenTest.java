package io.millrace.gateway.s3.sts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.Credential;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.SessionAncestor;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.RoleSettings;
import io.millrace.auth.session.SessionGrant;
import io.millrace.auth.session.SessionKey;
import io.millrace.auth.session.Sessions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AssumeRoleOrGetSessionTokenTest {
    private static final Instant NOW = Instant.parse("2026-11-27T10:00:00Z");

    private final RoleRegistry roles = new RoleRegistry(List.of(new RoleSettings(
            "reader",
            Optional.empty(),
            List.of(),
            Map.of(),
            List.of("role/reader"),
            List.of(),
            List.of(),
            List.of(),
            Duration.ofHours(1))));
    private final List<SessionKey> keys = List.of(new SessionKey(new byte[SessionKey.BYTES]));
    private final AssumeRoleOrGetSessionToken issuance = new AssumeRoleOrGetSessionToken(
            roles,
            new Sessions(() -> keys, roles, IdentityRegistry.of(List.of()), Optional.empty(), InstantSource.system()));

    @Test
    void sessionsOfAChainAreTheTokensOwners() {
        Principal session = Principal.ofSession("reader", "first", Map.of(), List.of(), List.of())
                .issuedTo("https://issuer pod");

        SessionGrant grant = assumed(new Credential("ASIA1", "secret", session, NOW, Instant.MAX));

        assertThat(grant.subject()).isEqualTo("https://issuer pod");
        assertThat(grant.sourceIdentity()).isEmpty();
        assertThat(grant.ancestors()).containsExactly(new SessionAncestor("ASIA1", "assumed-role/reader/first", NOW));
    }

    @Test
    void chainOfSessionsIsBounded() {
        Principal session = Principal.ofSession("reader", "first", Map.of(), List.of(), List.of());
        List<SessionAncestor> ancestors = new ArrayList<>();
        while (ancestors.size() < AssumeRoleOrGetSessionToken.MOST_ANCESTORS - 1) {
            ancestors.add(new SessionAncestor("ASIA" + ancestors.size(), "assumed-role/reader/earlier", NOW));
        }
        assertThat(assumed(new Credential("KEY", "secret", session, NOW, Instant.MAX, ancestors))
                        .ancestors())
                .hasSize(AssumeRoleOrGetSessionToken.MOST_ANCESTORS);

        ancestors.add(new SessionAncestor("ASIA", "assumed-role/reader/earlier", NOW));
        assertThatThrownBy(() -> assumed(new Credential("KEY", "secret", session, NOW, Instant.MAX, ancestors)))
                .isInstanceOf(StsException.class)
                .hasMessageContaining("9 sessions have been assumed one by another");
    }

    private SessionGrant assumed(Credential signer) {
        return issuance.assumeRole(
                        signer,
                        StsParameters.parse(("Action=AssumeRole&Version=2011-06-15&RoleSessionName=second"
                                        + "&RoleArn=arn:aws:iam::000000000000:role/reader")
                                .getBytes(UTF_8)),
                        "id")
                .grant();
    }
}
