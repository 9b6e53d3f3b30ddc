package io.millrace.gateway.s3.hub;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.RefusedSettingException;
import io.millrace.config.problem.SettingRange;
import java.time.Duration;

/** The settings of the Hub port: address, backend, and how long branches stand for a commit. */
public record HubSettings(
        @SettingDescription(
                value = "The address the Hub port is served on. There is no gate: whoever reaches it reads what the"
                        + " backend's token may read. 0.0.0.0 serves every network.",
                defaultValue = "127.0.0.1")
        String address,

        @SettingDescription(
                value = "The port, which clients have in HF_ENDPOINT; 0 selects any free port.",
                defaultValue = "9082")
        int port,

        @SettingDescription(
                value = "The backend that it serves, of type hub, by its name under backends.",
                example = "hf")
        String backend,

        @SettingDescription(
                value = "How long a branch or tag stands for the commit that it was found at, and what the Hub says of"
                        + " a repository is repeated; up to a tenth less, by name.",
                defaultValue = "60s")
        Duration branchTtl,

        @SettingDescription(
                value = "How long after branch-ttl they still hold while the Hub fails, or has not answered for 2"
                        + " seconds. Files of a commit need no Hub once they are cached.",
                defaultValue = "1d")
        Duration staleIfError) {
    /**
     * @throws IllegalArgumentException if a number or time is out of range
     */
    public HubSettings {
        SettingRange.requirePort("port", port);
        requireTime("branch-ttl", branchTtl);
        requireTime("stale-if-error", staleIfError);
    }

    private static void requireTime(String key, Duration value) {
        if (value.isNegative() || value.compareTo(Duration.ofDays(365)) > 0) {
            throw new RefusedSettingException(key, "is not between 0s and 365d", "write a time such as 60s or 1d");
        }
    }
}
