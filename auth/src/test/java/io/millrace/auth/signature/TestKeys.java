package io.millrace.auth.signature;

import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.config.Secret;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** Two identities that tests sign with, and a verifier that accepts them. */
public final class TestKeys {
    public static final String TRAINER = "TRAINER01";
    public static final Secret TRAINER_SECRET = Secret.of("trainer/secret+1");
    static final String ADMIN = "ADMIN01";
    public static final Secret ADMIN_SECRET = Secret.of("admin-secret");
    public static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

    private TestKeys() {}

    public static IdentityRegistry identities() {
        return IdentityRegistry.of(List.of(
                new IdentitySettings("trainer", TRAINER, TRAINER_SECRET, List.of(AllowRule.parse("read,list:*"))),
                new IdentitySettings("admin", ADMIN, ADMIN_SECRET, List.of(AllowRule.parse("*")))));
    }

    static RequestVerifier verifier() {
        return verifierAt(NOW);
    }

    static RequestVerifier verifierAt(Instant now) {
        return new RequestVerifier(identities(), SignatureSettings.defaults(), InstantSource.fixed(now));
    }

    static RequestVerifier verifierWithoutVersion2() {
        return new RequestVerifier(
                identities(), new SignatureSettings(false, Duration.ofMinutes(15)), InstantSource.fixed(NOW));
    }
}
