package io.millrace.gateway.cli;

import io.millrace.config.Secret;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the credentials in the order of AWS's tools: the profile that was named, the environment variables, the
 * profile of {@code AWS_PROFILE} or {@code default}, and last the keys that {@code millrace serve} generated in this
 * folder. A profile's {@code endpoint_url} is not read, because it names the S3 port.
 *
 * @param requestedProfile the profile that the command names
 */
record CredentialsResolver(
        CommandEnvironment environment, @Nullable String requestedProfile) {
    private static final String ACCESS = "aws_access_key_id";
    private static final String SECRET = "aws_secret_access_key";
    private static final String DEFAULT = "default";

    /**
     * Returns the first credentials found.
     *
     * @throws CliException if there are none
     */
    SigningCredentials credentials() {
        String access = environment.variable("AWS_ACCESS_KEY_ID");
        String secret = environment.variable("AWS_SECRET_ACCESS_KEY");
        if (requestedProfile == null && !access.isEmpty() && !secret.isEmpty()) {
            return new SigningCredentials(access, Secret.of(secret), "AWS_ACCESS_KEY_ID");
        }
        String profile = profile();
        Optional<SigningCredentials> found = pair(settings(), "the profile " + profile);
        if (found.isEmpty() && isRequested()) {
            throw CliException.denied(
                    "the profile %s has no %s and %s; roles, sessions and credential processes are not supported"
                            .formatted(profile, ACCESS, SECRET));
        }
        return found.or(this::generated)
                .orElseThrow(() ->
                        CliException.denied("no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or add"
                                + " them to a profile in ~/.aws/credentials"));
    }

    private boolean isRequested() {
        return requestedProfile != null || !environment.variable("AWS_PROFILE").isEmpty();
    }

    private String profile() {
        if (requestedProfile != null) {
            return requestedProfile;
        }
        String variable = environment.variable("AWS_PROFILE");
        return variable.isEmpty() ? DEFAULT : variable;
    }

    /** Merges the profile from both files; the credentials file wins. */
    private Map<String, String> settings() {
        String profile = profile();
        AwsProfileFile config = AwsProfileFile.read(file("AWS_CONFIG_FILE", "config"));
        AwsProfileFile keys = AwsProfileFile.read(file("AWS_SHARED_CREDENTIALS_FILE", "credentials"));
        List<Map<String, String>> found = List.of(config, keys).stream()
                .flatMap(file -> file.profile(profile).stream())
                .toList();
        if (found.isEmpty() && isRequested()) {
            throw CliException.usage("there is no profile %s in %s or %s"
                    .formatted(TerminalEscaper.escape(profile), keys.path(), config.path()));
        }
        Map<String, String> settings = new LinkedHashMap<>();
        found.forEach(settings::putAll);
        return settings;
    }

    private Path file(String variable, String name) {
        String named = environment.variable(variable);
        if (named.isEmpty()) {
            return environment.home().resolve(".aws").resolve(name);
        }
        return named.startsWith("~/")
                ? environment.home().resolve(named.substring(2))
                : environment.folder().resolve(named);
    }

    private Optional<SigningCredentials> generated() {
        String data = environment.variable("MILLRACE_DATA");
        Path file = environment.folder().resolve(data.isEmpty() ? "data" : data).resolve("credentials");
        return AwsProfileFile.read(file).profile(DEFAULT).flatMap(settings -> pair(settings, file.toString()));
    }

    private static Optional<SigningCredentials> pair(Map<String, String> settings, String source) {
        String access = settings.getOrDefault(ACCESS, "");
        String secret = settings.getOrDefault(SECRET, "");
        return access.isEmpty() || secret.isEmpty()
                ? Optional.empty()
                : Optional.of(new SigningCredentials(access, Secret.of(secret), source));
    }
}
