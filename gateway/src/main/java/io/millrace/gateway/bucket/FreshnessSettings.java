package io.millrace.gateway.bucket;

import io.millrace.config.Setting;
import java.time.Duration;

/** How long cached content of a bucket is served without asking its backend. */
public record FreshnessSettings(
        @Setting(
                value = "immutable: never asks again; ttl: asks when ttl has passed; strict: asks on every read.",
                byDefault = "ttl")
        Mode mode,

        @Setting(value = "How long content is fresh under mode ttl.", byDefault = "60s")
        Duration ttl,

        @Setting(value = "How long a missing key is taken to be missing.", byDefault = "5s")
        Duration negativeTtl,

        @Setting(value = "How long past its ttl content may be served while the backend fails.", byDefault = "0s")
        Duration staleIfError) {
    /** When the backend is asked. */
    public enum Mode {
        IMMUTABLE,
        TTL,
        STRICT
    }
}
