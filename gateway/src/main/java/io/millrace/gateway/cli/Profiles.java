package io.millrace.gateway.cli;

import io.millrace.config.Secret;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where keys are looked for, in the order of AWS's tools: a profile that was named, the environment, the profile of the environment or
 * {@code default}; at last the keys that {@code millrace serve} made for itself in this folder. A profile's {@code endpoint_url} is not
 * read: it is that of S3, which is another port.
 */
final class Profiles {
    private static final String ACCESS = "aws_access_key_id";
    private static final String SECRET = "aws_secret_access_key";
    private static final String DEFAULT = "default";

    private final Surroundings around;
    private final @Nullable String named;

    /**
     * @param named by the user, in the command
     */
    Profiles(Surroundings around, @Nullable String named) {
        this.around = around;
        this.named = named;
    }

    /**
     * @throws CliException if there are none
     */
    Credentials credentials() {
        String access = around.variable("AWS_ACCESS_KEY_ID");
        String secret = around.variable("AWS_SECRET_ACCESS_KEY");
        if (named == null && !access.isEmpty() && !secret.isEmpty()) {
            return new Credentials(access, Secret.of(secret), "AWS_ACCESS_KEY_ID");
        }
        String profile = profile();
        Optional<Credentials> found = pair(settings(), "the profile " + profile);
        if (found.isEmpty() && isAskedFor()) {
            throw CliException.denied("the profile %s has no %s and %s; roles, sessions and processes are not read"
                    .formatted(profile, ACCESS, SECRET));
        }
        return found.or(this::generated)
                .orElseThrow(() ->
                        CliException.denied("no keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or put them"
                                + " into a profile of ~/.aws/credentials"));
    }

    private boolean isAskedFor() {
        return named != null || !around.variable("AWS_PROFILE").isEmpty();
    }

    private String profile() {
        if (named != null) {
            return named;
        }
        String variable = around.variable("AWS_PROFILE");
        return variable.isEmpty() ? DEFAULT : variable;
    }

    /** Of both files; what the file of keys has goes before. */
    private Map<String, String> settings() {
        String profile = profile();
        ProfileFile config = ProfileFile.read(file("AWS_CONFIG_FILE", "config"));
        ProfileFile keys = ProfileFile.read(file("AWS_SHARED_CREDENTIALS_FILE", "credentials"));
        List<Map<String, String>> found = List.of(config, keys).stream()
                .flatMap(file -> file.profile(profile).stream())
                .toList();
        if (found.isEmpty() && isAskedFor()) {
            throw CliException.usage(
                    "there is no profile %s in %s or %s".formatted(PlainText.of(profile), keys.path(), config.path()));
        }
        Map<String, String> settings = new LinkedHashMap<>();
        found.forEach(settings::putAll);
        return settings;
    }

    private Path file(String variable, String name) {
        String named = around.variable(variable);
        if (named.isEmpty()) {
            return around.home().resolve(".aws").resolve(name);
        }
        return named.startsWith("~/")
                ? around.home().resolve(named.substring(2))
                : around.folder().resolve(named);
    }

    private Optional<Credentials> generated() {
        String data = around.variable("MILLRACE_DATA");
        Path file = around.folder().resolve(data.isEmpty() ? "data" : data).resolve("credentials");
        return ProfileFile.read(file).profile(DEFAULT).flatMap(settings -> pair(settings, file.toString()));
    }

    private static Optional<Credentials> pair(Map<String, String> settings, String source) {
        String access = settings.getOrDefault(ACCESS, "");
        String secret = settings.getOrDefault(SECRET, "");
        return access.isEmpty() || secret.isEmpty()
                ? Optional.empty()
                : Optional.of(new Credentials(access, Secret.of(secret), source));
    }
}
