package io.millrace.auth;

import io.millrace.config.Secret;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** Two identities that tests sign as, and a verifier that knows them. */
final class Keys {
    static final String TRAINER = "TRAINER01";
    static final Secret TRAINER_SECRET = Secret.of("trainer/secret+1");
    static final String ADMIN = "ADMIN01";
    static final Secret ADMIN_SECRET = Secret.of("admin-secret");
    static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

    private Keys() {}

    static Identities identities() {
        return Identities.of(List.of(
                new IdentitySettings("trainer", TRAINER, TRAINER_SECRET, List.of(AllowRule.parse("read,list:*"))),
                new IdentitySettings("admin", ADMIN, ADMIN_SECRET, List.of(AllowRule.parse("*")))));
    }

    static RequestVerifier verifier() {
        return verifierAt(NOW);
    }

    static RequestVerifier verifierAt(Instant now) {
        return new RequestVerifier(identities(), AuthSettings.defaults(), InstantSource.fixed(now));
    }

    static RequestVerifier verifierWithoutVersion2() {
        return new RequestVerifier(
                identities(), new AuthSettings(false, Duration.ofMinutes(15)), InstantSource.fixed(NOW));
    }
}
