package io.millrace.gateway.app.command;

import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SettingsProblem;
import io.millrace.gateway.app.MachineChecks;
import io.millrace.gateway.app.MillraceSettings;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Converter of what is known of a settings file to findings, and of findings to the one line of {@code --json}. */
final class SettingsDiagnosis {
    private SettingsDiagnosis() {}

    /** Returns what the settings have, the memory that they need, and their warnings. */
    static List<Diagnosis> of(LoadedSettings<MillraceSettings> loaded, MachineChecks checks) {
        MillraceSettings settings = loaded.settings();
        Diagnosis file = Diagnosis.ok(
                "settings",
                "%s: backends: %d, buckets: %d, identities: %d"
                        .formatted(
                                loaded.source(),
                                settings.backends().size(),
                                settings.buckets().size(),
                                settings.identities().size()));
        Diagnosis memory = Diagnosis.ok("memory", checks.plan(settings).toString());
        Stream<Diagnosis> warnings = loaded.warnings().stream()
                .map(warning -> Diagnosis.warning(subject(warning), finding(warning), warning.remedy())
                        .atLine(warning.line()));
        return Stream.concat(Stream.of(file, memory), warnings).toList();
    }

    /** Returns the problems of settings that are refused. */
    static List<Diagnosis> of(SettingsException refused) {
        return refused.problems().stream()
                .map(problem -> Diagnosis.problem(subject(problem), finding(problem), problem.remedy())
                        .atLine(problem.line()))
                .toList();
    }

    /** Returns findings as a line of JSON, without its line break. */
    static String json(List<Diagnosis> findings) {
        return JsonMapper.shared().writeValueAsString(Map.of("findings", findings));
    }

    private static String subject(SettingsProblem problem) {
        return problem.key().isEmpty() ? problem.source() : problem.key();
    }

    private static String finding(SettingsProblem problem) {
        return (problem.value() + " " + problem.description()).strip();
    }
}
