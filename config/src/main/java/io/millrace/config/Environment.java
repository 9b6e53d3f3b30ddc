package io.millrace.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Finds the variables that mean a key and puts their values into the tree, over what the file has.
 *
 * <p>Variables that match no key are ignored, typing errors included: others set {@code MILLRACE_} names as well.
 * Kubernetes gives every pod {@code MILLRACE_PORT=tcp://…}, {@code MILLRACE_SERVICE_HOST} and more for a Service named
 * {@code millrace}, and the {@code millrace} script has names of its own.
 */
final class Environment {
    /** What Kubernetes writes for a Service; a Service {@code millrace-s3} makes it the name of our key s3.port. */
    private static final Pattern SERVICE_LINK = Pattern.compile("(tcp|udp|sctp)://.*");

    private static final String LINK_NAME = "_PORT";
    private static final String LINK_PARTNER = "_SERVICE_HOST";

    private final Map<String, String> variables;
    private final Report report;

    Environment(Map<String, String> variables, Report report) {
        this.variables = new TreeMap<>(variables);
        this.report = report;
    }

    /** Changes {@code root}, whose shape is {@code shape}. Returns the names of the variables that took part. */
    List<String> applyTo(Tree.Mapping root, RecordShape shape) {
        List<Assignment> assignments = new ArrayList<>();
        variables.forEach((name, value) -> {
            if (name.startsWith(VariableName.PREFIX) && !isServiceLink(name, value)) {
                List<List<Step>> ways = shape.find(name.substring(VariableName.PREFIX.length()), root, List.of())
                        .toList();
                if (ways.size() == 1) {
                    assignments.add(new Assignment(name, value, ways.get(0)));
                } else if (ways.size() > 1) {
                    refuseAmbiguous(name, ways);
                }
            }
        });
        assignments.sort(Comparator.naturalOrder());
        assignments.forEach(assignment -> assignment.applyTo(root, report));
        return assignments.stream().map(Assignment::variable).sorted().toList();
    }

    private boolean isServiceLink(String name, String value) {
        return name.endsWith(LINK_NAME)
                && SERVICE_LINK.matcher(value).matches()
                && variables.containsKey(name.substring(0, name.length() - LINK_NAME.length()) + LINK_PARTNER);
    }

    private void refuseAmbiguous(String name, List<List<Step>> ways) {
        List<String> paths = ways.stream().map(Step::path).toList();
        report.add(
                Place.variable(name),
                paths.get(0),
                "",
                "the variable may mean " + OneOf.words(paths),
                "set the key in the file instead");
    }
}
