package io.millrace.loadgen;

import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import io.millrace.loadgen.client.KeyOrder;
import java.time.Duration;
import java.util.Optional;

/** Settings of one phase of a load test: which operations run, on which objects, how many at once and how long. */
record PhaseSettings(
        @SettingDescription("The phase's name in results.") String name,

        @SettingDescription(
                value = "The operations: get, range, tail, head, put, multipart, list or delete, or several with"
                        + " weights.",
                defaultValue = "get",
                example = "get:90, put:10")
        OperationMix operations,

        @SettingDescription(
                value = "The order of the objects. sequential: by number; uniform: at random; zipf: few objects very"
                        + " often; shuffled: epochs, each in another order; each: every connection reads all objects,"
                        + " so that all want the same one at once.",
                defaultValue = "uniform")
        KeyOrder order,

        @SettingDescription(value = "The number of connections, each with one request at a time.", defaultValue = "16")
        int connections,

        @SettingDescription(
                "The time after which the phase ends, without the warm-up. Without duration and count it is 30s.")
        Optional<Duration> duration,

        @SettingDescription(
                "The number of operations after which the phase ends; in multiples of the number of objects: 1x.")
        Optional<OperationCount> count,

        @SettingDescription(
                value = "The time from the start whose operations are neither measured nor of the count.",
                defaultValue = "0s")
        Duration warmUp,

        @SettingDescription(
                "Operations per second, started on schedule however slow the endpoint is (open loop). A latency begins"
                        + " when its operation was due. Without it, each connection starts one after the other (closed"
                        + " loop).")
        Optional<Double> rate,

        @SettingDescription(value = "The number of bytes that range and tail read.", defaultValue = "64KiB")
        DataSize rangeSize,

        @SettingDescription(value = "The size of the parts of multipart uploads.", defaultValue = "8MiB")
        DataSize partSize,

        @SettingDescription(
                value = "Whether bodies are checked: every byte of generated objects, others by their ETag or"
                        + " checksum. It costs the client CPU.",
                defaultValue = "true")
        boolean verify,

        @SettingDescription(
                value = "Whether no cache may have the objects yet: a hit makes the run fail.",
                defaultValue = "false")
        boolean cold)
        implements SelfValidatingSettings {
    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(30);
    private static final long SMALLEST_PART = 5 << 20;
    private static final int MOST_CONNECTIONS = 60_000;

    @Override
    public void check(ProblemReporter problems) {
        if (connections < 1 || connections > MOST_CONNECTIONS) {
            problems.add(
                    "connections",
                    connections,
                    "is not a number of connections",
                    "write a number from 1 to " + MOST_CONNECTIONS);
        }
        rate.filter(perSecond -> !(perSecond > 0 && perSecond <= 1e9))
                .ifPresent(perSecond -> problems.add("rate", perSecond, "is not a rate", "write a number above 0"));
        if (partSize.bytes() < SMALLEST_PART) {
            problems.add("part-size", partSize, "is less than S3 accepts", "write 5MiB or more");
        }
        if (rangeSize.bytes() == 0) {
            problems.add("range-size", rangeSize, "is nothing to read", "write 1 or more");
        }
    }

    /** Returns the time limit with the warm-up; empty if the number of operations alone ends the phase. */
    Optional<Duration> timeLimit() {
        Optional<Duration> measured = count.isPresent() ? duration : Optional.of(duration.orElse(DEFAULT_DURATION));
        return measured.map(warmUp::plus);
    }
}
