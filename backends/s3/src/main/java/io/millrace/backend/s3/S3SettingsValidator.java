package io.millrace.backend.s3;

import io.millrace.config.problem.ProblemReporter;
import java.net.URI;
import java.util.regex.Pattern;

/** Validates the settings of an S3 backend and reports invalid values and combinations. */
final class S3SettingsValidator {
    /** A region becomes part of a host name and of a signature's scope. */
    private static final Pattern REGION = Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?");

    private S3SettingsValidator() {}

    static void validate(S3BackendSettings settings, ProblemReporter problems) {
        settings.endpoint().ifPresent(endpoint -> checkEndpoint(endpoint, problems));
        if (!REGION.matcher(settings.region()).matches()) {
            problems.add("region", settings.region(), "is no region", "write one like us-east-1");
        }
        checkCredentials(settings, problems);
    }

    private static void checkEndpoint(URI endpoint, ProblemReporter problems) {
        boolean more = endpoint.getRawUserInfo() != null
                || endpoint.getRawQuery() != null
                || endpoint.getRawFragment() != null;
        if (endpoint.getHost() == null || more) {
            problems.add(
                    "endpoint",
                    "",
                    "is not just http://host:port or https://host:port",
                    "take the rest out; keys go into access-key and secret-key");
            return;
        }
        String path = endpoint.getRawPath();
        if (path != null && !path.isEmpty() && !path.equals("/")) {
            problems.warn(
                    "endpoint",
                    endpoint,
                    "has a path: each request goes below %s".formatted(path),
                    "take it out, unless the server expects it; the name of a bucket goes into buckets, as bucket");
        }
    }

    private static void checkCredentials(S3BackendSettings settings, ProblemReporter problems) {
        boolean access = settings.accessKey().isPresent();
        boolean secret = settings.secretKey().isPresent();
        if (access && !secret) {
            problems.add(
                    "secret-key",
                    "",
                    "is required with access-key",
                    "add secret-key or secret-key-file, or leave both out");
        } else if (secret && !access) {
            problems.add("access-key", "", "is required with secret-key", "add it, or leave both out");
        }
        if (settings.sessionToken().isPresent() && !access) {
            problems.add(
                    "session-token", "", "goes with access-key and secret-key", "add them, or leave the token out");
        }
        if (settings.anonymous() && access) {
            problems.add(
                    "anonymous",
                    "true",
                    "contradicts access-key: requests are unsigned or signed",
                    "leave one of them out");
        }
    }
}
