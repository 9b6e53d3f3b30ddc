package io.millrace.backend.resilience;

import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.time.Duration;
import java.util.Optional;

/** The settings of how Millrace treats a backend that is slow, throttles or is down. */
public record ResilienceSettings(
        @SettingDescription(
                value = "How long a request may take until its response begins, waits and retries included. Copies and"
                        + " completions of uploads get 5 minutes at least. Uploads wait for their turn no longer than"
                        + " this, and have no deadline then: the timeouts of the backend's type apply to them.",
                defaultValue = "30s")
        Duration deadline,

        @SettingDescription(
                value = "How often a request is sent at most; 1 turns retries off. A request is retried if the backend"
                        + " failed or throttled it and a repetition is harmless; a body is never sent twice. At most"
                        + " one request in ten is a retry.",
                defaultValue = "3")
        int tries,

        @SettingDescription(
                value = "Maximum requests that wait for a response of the backend; further ones queue. If the backend"
                        + " throttles, the limit falls, and rises again with each response.",
                defaultValue = "1024")
        int maxRequests,

        @SettingDescription(
                value = "Maximum connections to the backend that reads which bypass the cache and uploads may hold,"
                        + " since they last as long as their clients like. An identity gets half of it at most,"
                        + " clients without one together a third, and an address of theirs a fifth; further"
                        + " ones wait for 5 s and then get SlowDown. Without it, three quarters of"
                        + " max-connections.",
                example = "200")
        Optional<Integer> maxClientStreams,

        @SettingDescription(
                value = "Maximum bytes a second that are read from the backend. Without it there is no limit.",
                example = "500MiB")
        Optional<DataSize> bandwidth,

        @SettingDescription(
                value = "A read whose response has not begun after this time is sent once more, and the first response"
                        + " wins; at most one read in twenty. Without it none is.",
                example = "500ms")
        Optional<Duration> hedgeAfter)
        implements SelfValidatingSettings {
    /** The settings of a file that sets none. */
    public static final ResilienceSettings DEFAULTS = new ResilienceSettings(
            Duration.ofSeconds(30), 3, 1024, Optional.empty(), Optional.empty(), Optional.empty());

    @Override
    public void check(ProblemReporter problems) {
        if (deadline.isZero() || deadline.isNegative()) {
            problems.add("deadline", deadline, "leaves no time for a response", "write a time such as 30s");
        }
        if (tries < 1 || tries > 10) {
            problems.add("tries", tries, "is not between 1 and 10", "write 1 for no retries, or 3");
        }
        if (maxRequests < 1) {
            problems.add("max-requests", maxRequests, "lets no request through", "write 1024");
        }
        if (maxClientStreams.isPresent() && maxClientStreams.get() < 1) {
            problems.add(
                    "max-client-streams",
                    maxClientStreams.get(),
                    "lets no upload through",
                    "write 1 or more, or leave it out");
        }
        if (bandwidth.isPresent() && bandwidth.get().bytes() < 1024) {
            problems.add("bandwidth", bandwidth.get(), "is below 1KiB a second", "write a size such as 500MiB");
        }
        if (hedgeAfter.isPresent()
                && (hedgeAfter.get().isZero() || hedgeAfter.get().isNegative())) {
            problems.add("hedge-after", hedgeAfter.get(), "would send each read twice", "write a time such as 500ms");
        }
    }
}
