package io.millrace.backend.gcs;

import io.millrace.config.problem.ProblemReporter;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/** Validates the settings of a Google Cloud Storage backend and reports invalid values and combinations. */
final class GcsSettingsValidator {
    /** A project becomes part of a target and of a header; domain-scoped ones have a colon. */
    private static final Pattern PROJECT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.:-]{0,99}");

    private static final Pattern LOCATION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,62}");

    private GcsSettingsValidator() {}

    static void validate(GcsBackendSettings settings, ProblemReporter problems) {
        checkName("project", settings.project(), PROJECT, "is no project id", "my-project", problems);
        checkName("user-project", settings.userProject(), PROJECT, "is no project id", "my-project", problems);
        checkName("location", settings.location(), LOCATION, "is no location", "europe-west1", problems);
        checkEndpoint(settings.endpoint(), problems);
        if (settings.anonymous() && settings.credentialsFile().isPresent()) {
            problems.add(
                    "anonymous",
                    "true",
                    "contradicts credentials-file: requests carry credentials or none",
                    "leave one of them out");
        }
        if (!settings.anonymous() && "http".equals(settings.endpoint().getScheme())) {
            problems.add(
                    "endpoint",
                    "",
                    "would send the access token in clear text",
                    "write https://, or anonymous: true for an emulator");
        }
    }

    private static void checkName(
            String key,
            Optional<String> value,
            Pattern pattern,
            String what,
            String example,
            ProblemReporter problems) {
        value.filter(name -> !pattern.matcher(name).matches())
                .ifPresent(name -> problems.add(key, name, what, "write one like " + example));
    }

    private static void checkEndpoint(URI endpoint, ProblemReporter problems) {
        String path = endpoint.getRawPath();
        boolean more = endpoint.getRawUserInfo() != null
                || endpoint.getRawQuery() != null
                || endpoint.getRawFragment() != null
                || !(path == null || path.isEmpty() || path.equals("/"));
        if (endpoint.getHost() == null || more) {
            problems.add(
                    "endpoint",
                    "",
                    "is not just http://host:port or https://host:port",
                    "take the rest out; the path of the API is added");
        }
    }
}
