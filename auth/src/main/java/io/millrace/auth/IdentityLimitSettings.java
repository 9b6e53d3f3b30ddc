package io.millrace.auth;

import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.RefusedSettingException;
import java.util.Optional;

/** Settings of the limits of one identity's requests to the S3 port. Without a value there is no limit. */
public record IdentityLimitSettings(
        @SettingDescription(
                value = "The most requests a second, on average; as many may come at once after a second without any."
                        + " Further ones get SlowDown.",
                example = "500")
        Optional<Integer> requestsPerSecond,

        @SettingDescription(
                value = "The most bytes of bodies a second, read and written, on average. A request counts when it"
                        + " ends; while more has passed, further ones get SlowDown, for half a minute at most.",
                example = "200MiB")
        Optional<DataSize> bandwidth,

        @SettingDescription(
                value = "The most requests at a time, with those of roles that it has assumed, from the head of the"
                        + " request to the end of the response. Further ones get SlowDown.",
                example = "200")
        Optional<Integer> concurrentRequests) {
    /** No limits. */
    public static final IdentityLimitSettings NONE =
            new IdentityLimitSettings(Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * @throws IllegalArgumentException if a limit allows nothing
     */
    public IdentityLimitSettings {
        if (requestsPerSecond.filter(limit -> limit < 1).isPresent()) {
            throw new RefusedSettingException("requests-per-second", "allows no request", "write 1 or more");
        }
        if (bandwidth.filter(limit -> limit.bytes() < 1).isPresent()) {
            throw new RefusedSettingException("bandwidth", "allows no byte", "write 1KiB or more");
        }
        if (concurrentRequests.filter(limit -> limit < 1).isPresent()) {
            throw new RefusedSettingException("concurrent-requests", "allows no request", "write 1 or more");
        }
    }
}
