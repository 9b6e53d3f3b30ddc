package io.millrace.cache.settings;

import io.millrace.config.Checked;
import io.millrace.config.DataSize;
import io.millrace.config.Problems;
import io.millrace.config.Setting;
import java.time.Duration;

/** How often what lies on the disks is looked at, and how much of a disk's time that may take. */
public record ScrubSettings(
        @Setting(
                value =
                        "Within so long every record on a disk is compared with its checksums, whether or not it is read.",
                byDefault = "7d")
        Duration every,

        @Setting(value = "How much a second is read of each disk for that at most; 0B for never.", byDefault = "32MiB")
        DataSize rate)
        implements Checked {
    /** What holds unless an operator says otherwise. */
    public static final ScrubSettings DEFAULT = new ScrubSettings(Duration.ofDays(7), DataSize.parse("32MiB"));

    private static final Duration SHORTEST = Duration.ofMinutes(1);

    /** Whether there is to be any. */
    public boolean isOn() {
        return rate.bytes() > 0;
    }

    @Override
    public void check(Problems problems) {
        if (every.compareTo(SHORTEST) < 0) {
            problems.add("every", every, "is less than a minute", "write 7d");
        }
    }
}
