package io.millrace.auth;

import io.millrace.config.Checked;
import io.millrace.config.Problems;
import io.millrace.config.Setting;
import java.time.Duration;

/** How requests are authenticated. */
public record AuthSettings(
        @Setting(
                value = "Serve presigned URLs signed with the old Signature Version 2, which boto3 and aws-cli 1 make"
                        + " unless told otherwise. It signs neither the host nor most query parameters, so turn it off"
                        + " where no client needs it.",
                byDefault = "true")
        boolean sigv2Presigned,

        @Setting(
                value = "How far a client's clock may be from ours, either way. Longer forgives bad clocks, and leaves"
                        + " a signature that somebody has seen valid for longer.",
                byDefault = "15m")
        Duration clockSkew)
        implements Checked {
    /** SigV2 served, 15 minutes of skew: as S3 does it. */
    public static AuthSettings defaults() {
        return new AuthSettings(true, Duration.ofMinutes(15));
    }

    @Override
    public void check(Problems problems) {
        if (!ClockSkew.isPossible(clockSkew)) {
            problems.add("clock-skew", clockSkew, "is not a skew that clocks have", "write from 1s to 1d, as 15m");
        }
    }
}
