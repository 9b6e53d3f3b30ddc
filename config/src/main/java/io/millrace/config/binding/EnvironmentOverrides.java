package io.millrace.config.binding;

import io.millrace.config.problem.ProblemCollector;
import io.millrace.config.problem.SourceLocation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Applies environment variables to the parsed settings, where they override the file.
 *
 * <p>Variables that match no key are ignored, even misspelt ones, because others set {@code MILLRACE_} names as well.
 * Kubernetes gives every pod {@code MILLRACE_PORT=tcp://…}, {@code MILLRACE_SERVICE_HOST} and more for a Service named
 * {@code millrace}, and the {@code millrace} script has names of its own.
 */
final class EnvironmentOverrides {
    /**
     * A value that Kubernetes sets for a Service; for a Service {@code millrace-s3} its name is that of the key {@code
     * s3.port}.
     */
    private static final Pattern SERVICE_LINK = Pattern.compile("(tcp|udp|sctp)://.*");

    private static final String LINK_NAME = "_PORT";
    private static final String LINK_PARTNER = "_SERVICE_HOST";

    private final Map<String, String> variables;
    private final ProblemCollector report;

    EnvironmentOverrides(Map<String, String> variables, ProblemCollector report) {
        this.variables = new TreeMap<>(variables);
        this.report = report;
    }

    /**
     * Changes {@code root}, which has the shape {@code shape}. Returns the names of the variables that were applied.
     */
    List<String> applyTo(SettingsNode.Mapping root, RecordSchema shape) {
        List<VariableAssignment> assignments = new ArrayList<>();
        variables.forEach((name, value) -> {
            if (name.startsWith(EnvironmentVariableName.PREFIX) && !isServiceLink(name, value)) {
                List<List<SettingPathStep>> ways = shape.findPaths(
                                name.substring(EnvironmentVariableName.PREFIX.length()), root, List.of())
                        .toList();
                if (ways.size() == 1) {
                    assignments.add(new VariableAssignment(name, value, ways.get(0)));
                } else if (ways.size() > 1) {
                    refuseAmbiguous(name, ways);
                }
            }
        });
        assignments.sort(Comparator.naturalOrder());
        assignments.forEach(assignment -> assignment.applyTo(root, report));
        return assignments.stream().map(VariableAssignment::variable).sorted().toList();
    }

    private boolean isServiceLink(String name, String value) {
        return name.endsWith(LINK_NAME)
                && SERVICE_LINK.matcher(value).matches()
                && variables.containsKey(name.substring(0, name.length() - LINK_NAME.length()) + LINK_PARTNER);
    }

    private void refuseAmbiguous(String name, List<List<SettingPathStep>> ways) {
        List<String> paths = ways.stream().map(SettingPathStep::path).toList();
        report.add(
                SourceLocation.variable(name),
                paths.get(0),
                "",
                "the variable may mean " + ChoiceFormatter.join(paths),
                "set the key in the file instead");
    }
}
