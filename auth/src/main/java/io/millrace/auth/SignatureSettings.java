package io.millrace.auth;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.time.Duration;

/** Settings of request authentication. */
public record SignatureSettings(
        @SettingDescription(
                value = "Serve presigned URLs signed with the old Signature Version 2, which boto3 and aws-cli 1 make"
                        + " by default. It signs neither the host nor most query parameters, so turn it off"
                        + " where no client needs it.",
                defaultValue = "true")
        boolean sigv2Presigned,

        @SettingDescription(
                value = "How far a client's clock may differ from the server's. A longer time tolerates bad clocks,"
                        + " but leaves an intercepted signature valid for longer.",
                defaultValue = "15m")
        Duration clockSkew)
        implements SelfValidatingSettings {
    /** Returns S3's behaviour: SigV2 is accepted, clocks may differ by 15 minutes. */
    public static SignatureSettings defaults() {
        return new SignatureSettings(true, Duration.ofMinutes(15));
    }

    @Override
    public void check(ProblemReporter problems) {
        if (!ClockSkew.isPossible(clockSkew)) {
            problems.add("clock-skew", clockSkew, "is out of range", "write a duration from 1s to 1d, such as 15m");
        }
    }
}
