package io.millrace.gateway.objects.bucket;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.RefusedSettingException;
import java.time.Duration;

/** The freshness settings of a bucket: when cached content is revalidated, and when it may be served stale. */
public record FreshnessSettings(
        @SettingDescription(
                value = "immutable: never revalidates; ttl: revalidates after ttl; strict: revalidates on every read.",
                defaultValue = "ttl")
        Mode mode,

        @SettingDescription(
                value = "How long content is fresh in mode ttl; up to a tenth less, by key, so that objects fetched"
                        + " together are not revalidated together.",
                defaultValue = "60s")
        Duration ttl,

        @SettingDescription(
                value = "How long the absence of a key is cached in mode ttl; up to a tenth less, by key.",
                defaultValue = "5s")
        Duration negativeTtl,

        @SettingDescription(
                value = "How long a page of a listing is fresh; up to a tenth less, by page. 0s: every listing comes"
                        + " from the backend. Not together with mode strict.",
                defaultValue = "0s")
        Duration listTtl,

        @SettingDescription(
                value = "How long after their ttl content and listings are served while they are revalidated in the"
                        + " background. Not together with mode strict.",
                defaultValue = "0s")
        Duration staleWhileRevalidate,

        @SettingDescription(
                value = "How long after their ttl content and listings may be served while the backend fails, or has"
                        + " not answered for 2 seconds. Not together with mode strict.",
                defaultValue = "0s")
        Duration staleIfError) {
    /** What the documentation of the settings says. */
    static final FreshnessSettings DEFAULTS = new FreshnessSettings(
            Mode.TTL, Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ZERO, Duration.ZERO, Duration.ZERO);

    /** @throws IllegalArgumentException if mode strict has a setting that allows stale or cached responses */
    public FreshnessSettings {
        if (mode == Mode.STRICT) {
            requireNone("list-ttl", listTtl);
            requireNone("stale-while-revalidate", staleWhileRevalidate);
            requireNone("stale-if-error", staleIfError);
        }
    }

    private static void requireNone(String key, Duration value) {
        if (!value.isZero()) {
            throw new RefusedSettingException(
                    key, "has no place under mode strict, where every read asks", "leave it out, or take mode ttl");
        }
    }

    /** The policy of revalidation. */
    public enum Mode {
        IMMUTABLE,
        TTL,
        STRICT
    }
}
