package io.millrace.loadgen;

import io.millrace.config.DataSize;
import io.millrace.config.problem.ProblemCollector;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SettingsProblem;
import io.millrace.loadgen.client.KeyOrder;
import io.millrace.loadgen.client.SizeDistribution;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Settings of the command line that replace those of a scenario: of its objects, and of all its phases. */
record ScenarioOverrides(
        Optional<TestObjectSource> source,
        Optional<Path> keysFile,
        Optional<String> prefix,
        Optional<Long> objects,
        Optional<SizeDistribution> size,
        Optional<OperationMix> operations,
        Optional<KeyOrder> order,
        Optional<Integer> connections,
        Optional<Duration> duration,
        Optional<OperationCount> count,
        Optional<Duration> warmUp,
        Optional<Double> rate,
        Optional<DataSize> rangeSize,
        Optional<DataSize> partSize,
        Optional<Boolean> verify) {
    private static final Map<String, String> OPTIONS = Map.of(
            "objects.count", "--objects",
            "objects.keys-file", "--keys-file",
            "phases.connections", "-c, --connections",
            "phases.rate", "--rate",
            "phases.range-size", "--range-size",
            "phases.part-size", "--part-size");

    /**
     * Returns {@code scenario} with these settings in place of its own.
     *
     * @throws SettingsException if a setting is out of range, with the options in place of the keys: what the scenario
     *     has was checked when it was loaded
     */
    Scenario applyTo(Scenario scenario) throws SettingsException {
        Scenario changed = new Scenario(
                scenario.description(),
                applyTo(scenario.objects()),
                scenario.phases().stream().map(this::applyTo).toList());
        ProblemCollector problems = new ProblemCollector();
        changed.objects().check(new ProblemReporter(problems, "objects"));
        // An option is that of all phases: one problem, however many there are.
        changed.phases().forEach(phase -> phase.check(new ProblemReporter(problems, "phases")));
        if (!problems.isEmpty()) {
            throw new SettingsException(problems.exception().problems().stream()
                    .map(ScenarioOverrides::ofOption)
                    .toList());
        }
        return changed;
    }

    private static SettingsProblem ofOption(SettingsProblem problem) {
        String option = OPTIONS.getOrDefault(problem.key(), problem.key());
        return new SettingsProblem("command line", 0, option, problem.value(), problem.description(), problem.remedy());
    }

    private ObjectSettings applyTo(ObjectSettings settings) {
        TestObjectSource from = keysFile.isPresent() ? TestObjectSource.FILE : source.orElse(settings.source());
        boolean isWholeBucket = from == TestObjectSource.LISTED && settings.source() != TestObjectSource.LISTED;
        return new ObjectSettings(
                from,
                prefix.orElse(isWholeBucket ? "" : settings.prefix()),
                objects.orElse(isWholeBucket ? ObjectSettings.MOST_LISTED : settings.count()),
                size.orElse(settings.size()),
                from == TestObjectSource.FILE ? keysFile.or(settings::keysFile) : Optional.empty());
    }

    /**
     * A duration on the command line replaces a count of the scenario, and the other way round. A count of it has no
     * warm-up of the scenario before it: {@code 1x} reads each object once.
     */
    private PhaseSettings applyTo(PhaseSettings phase) {
        boolean hasEnd = duration.isPresent() || count.isPresent();
        return new PhaseSettings(
                phase.name(),
                operations.orElse(phase.operations()),
                order.orElse(phase.order()),
                connections.orElse(phase.connections()),
                hasEnd ? duration : phase.duration(),
                hasEnd ? count : phase.count(),
                warmUp.orElse(count.isPresent() ? Duration.ZERO : phase.warmUp()),
                rate.or(phase::rate),
                rangeSize.orElse(phase.rangeSize()),
                partSize.orElse(phase.partSize()),
                verify.orElse(phase.verify()),
                phase.cold());
    }
}
