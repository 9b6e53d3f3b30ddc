package io.millrace.loadgen;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A load test: its objects, and the phases that run one after the other. */
record Scenario(
        @SettingDescription(value = "What the scenario shows.", defaultValue = "\"\"")
        String description,

        @SettingDescription("The objects that all phases use.")
        ObjectSettings objects,

        @SettingDescription("The phases, in order.") List<PhaseSettings> phases)
        implements SelfValidatingSettings {
    @Override
    public void check(ProblemReporter problems) {
        if (phases.isEmpty() && !problems.hasProblem("phases")) {
            problems.add("phases", "", "has no phase", "add one, as - { name: read }");
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < phases.size(); i++) {
            if (!names.add(phases.get(i).name())) {
                problems.add(
                        "phases[" + i + "].name", phases.get(i).name(), "names two phases", "give each its own name");
            }
        }
    }
}
