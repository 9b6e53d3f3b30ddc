package io.millrace.gateway.bucket;

import io.millrace.config.Setting;
import java.time.Duration;

/** How long cached content of a bucket is served without asking its backend. */
public record FreshnessSettings(
        @Setting(
                value = "immutable: never asks again; ttl: asks when ttl has passed; strict: asks on every read.",
                byDefault = "ttl")
        Mode mode,

        @Setting(
                value = "How long content is fresh under mode ttl; up to a tenth less, by key, so that what was fetched"
                        + " together is not asked for together.",
                byDefault = "60s")
        Duration ttl,

        @Setting(
                value = "How long a missing key is taken to be missing under mode ttl; up to a tenth less, by key.",
                byDefault = "5s")
        Duration negativeTtl,

        @Setting(
                value =
                        "How long a page of a list is served again without asking; up to a tenth less, by page. 0s: each list is"
                                + " the backend's own. Not together with mode strict.",
                byDefault = "0s")
        Duration listTtl,

        @Setting(
                value =
                        "How long past their ttl content and lists are served while one question to the backend is under way"
                                + " behind them. Not together with mode strict.",
                byDefault = "0s")
        Duration staleWhileRevalidate,

        @Setting(
                value =
                        "How long past their ttl content and lists may be served while the backend fails. Not together with mode"
                                + " strict.",
                byDefault = "0s")
        Duration staleIfError) {
    /**
     * @throws IllegalArgumentException if something is to be served without asking, or past an answer that did not come, where
     *     every read asks
     */
    public FreshnessSettings {
        if (mode == Mode.STRICT) {
            requireNone("list-ttl", listTtl);
            requireNone("stale-while-revalidate", staleWhileRevalidate);
            requireNone("stale-if-error", staleIfError);
        }
    }

    /** Rules by which lists pass through, and nothing old is served while it is asked for. */
    public FreshnessSettings(Mode mode, Duration ttl, Duration negativeTtl, Duration staleIfError) {
        this(mode, ttl, negativeTtl, Duration.ZERO, Duration.ZERO, staleIfError);
    }

    private static void requireNone(String key, Duration value) {
        if (!value.isZero()) {
            throw new IllegalArgumentException(
                    "'%s' has no place under mode strict, where every read asks: leave it out, or take mode ttl"
                            .formatted(key));
        }
    }

    /** When the backend is asked. */
    public enum Mode {
        IMMUTABLE,
        TTL,
        STRICT
    }
}
