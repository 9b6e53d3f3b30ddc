package io.millrace.gateway.s3.sts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.identity.IdentityRegistry;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.RoleSettings;
import io.millrace.auth.session.SessionGrant;
import io.millrace.auth.session.SessionKey;
import io.millrace.auth.session.Sessions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SignedIssuanceTest {
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
    private final SignedIssuance issuance = new SignedIssuance(
            roles,
            new Sessions(() -> keys, roles, IdentityRegistry.of(List.of()), Optional.empty(), InstantSource.system()));

    @Test
    void sessionsOfAChainAreTheTokensOwners() {
        Principal session = Principal.ofSession("reader", "first", Map.of(), List.of(), List.of())
                .issuedTo("https://issuer pod");

        SessionGrant grant = issuance.assumeRole(
                        session,
                        StsParameters.parse(
                                "Action=AssumeRole&Version=2011-06-15&RoleSessionName=second&RoleArn=arn:aws:iam::000000000000:role/reader"
                                        .getBytes(UTF_8)),
                        "id")
                .grant();

        assertThat(grant.subject()).isEqualTo("https://issuer pod");
        assertThat(grant.sourceIdentity()).isEmpty();
    }
}
