package io.millrace.backend.web;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.config.problem.ProblemReporter;
import java.nio.charset.StandardCharsets;

/** Validates the settings of a web server backend and reports invalid values and combinations. */
final class WebSettingsValidator {
    private WebSettingsValidator() {}

    static void validate(WebBackendSettings settings, ProblemReporter problems) {
        if (settings.url().query().isPresent()) {
            problems.add("url", settings.url().withoutQuery(), "has a query", "write scheme, host and path");
        }
        checkManifest(settings.manifest(), problems);
        checkCredentials(settings, problems);
    }

    private static void checkManifest(String manifest, ProblemReporter problems) {
        boolean isFile = !manifest.isEmpty()
                && !manifest.startsWith("/")
                && !manifest.endsWith("/")
                && manifest.getBytes(StandardCharsets.UTF_8).length <= ObjectKey.MAX_BYTES;
        if (!isFile) {
            problems.add("manifest", manifest, "is no path of a file in the bucket", "write one such as manifest.txt");
        }
    }

    private static void checkCredentials(WebBackendSettings settings, ProblemReporter problems) {
        boolean user = settings.username().isPresent();
        boolean password = settings.password().isPresent();
        if (user && !password) {
            problems.add(
                    "password", "", "is required with username", "add password or password-file, or leave both out");
        } else if (password && !user) {
            problems.add("username", "", "is required with password", "add it, or leave both out");
        }
        if (settings.username().filter(name -> name.indexOf(':') >= 0).isPresent()) {
            problems.add("username", settings.username().get(), "has a colon, which ends a user's name", "take it out");
        }
        if (settings.bearerToken().isPresent() && user) {
            problems.add(
                    "bearer-token",
                    "",
                    "contradicts username: a request has one Authorization header",
                    "leave one of them out");
        }
        if (settings.bearerToken()
                .filter(token -> token.reveal().chars().anyMatch(c -> c <= ' ' || c >= 0x7F))
                .isPresent()) {
            problems.add(
                    "bearer-token", "", "has a blank, a line end or a letter outside ASCII", "write the token alone");
        }
    }
}
