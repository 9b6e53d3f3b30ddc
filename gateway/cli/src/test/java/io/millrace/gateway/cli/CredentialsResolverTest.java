package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that credentials are found in the places and in the order of AWS's tools. */
class CredentialsResolverTest {
    private static final String KEYS = """
            # of two accounts
            [default]
            aws_access_key_id = DEFAULT1
            aws_secret_access_key=de/fault#;=+secret

            ; the second
            [ work ]
            AWS_ACCESS_KEY_ID = WORK1
            aws_secret_access_key = work-secret
            s3 =
                aws_access_key_id = NESTED
            [half]
            aws_access_key_id = HALF1
            not a setting
            """;

    private static final String SETTINGS = """
            [profile work]
            aws_secret_access_key = of-settings
            [profile "far away"]
            aws_access_key_id = FAR1
            aws_secret_access_key = far-secret
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path home;

    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void files() throws IOException {
        Files.createDirectories(home.resolve(".aws"));
        Files.writeString(home.resolve(".aws/credentials"), KEYS);
        Files.writeString(home.resolve(".aws/config"), SETTINGS);
    }

    @Test
    void withoutAWordTheDefaultProfileCounts() {
        assertThat(pair(null)).isEqualTo("DEFAULT1 de/fault#;=+secret");
    }

    @Test
    void environmentPrecedesOnlyUnnamedProfiles() {
        environment.put("AWS_ACCESS_KEY_ID", "ENV1");
        environment.put("AWS_SECRET_ACCESS_KEY", "env-secret");
        environment.put("AWS_PROFILE", "work");

        assertThat(pair(null)).isEqualTo("ENV1 env-secret");
        assertThat(pair("work")).isEqualTo("WORK1 work-secret");
    }

    @Test
    void theVariableNamesAProfile() {
        environment.put("AWS_PROFILE", "work");

        assertThat(pair(null)).isEqualTo("WORK1 work-secret");
    }

    @Test
    void readsQuotedProfileOfTheConfigFile() {
        assertThat(pair("far away")).isEqualTo("FAR1 far-secret");
    }

    @Test
    void theFilesMayBeElsewhere() throws IOException {
        Files.writeString(
                home.resolve("mine"), "[default]\r\naws_access_key_id=MINE1\r\naws_secret_access_key=mine\r\n");
        environment.put("AWS_SHARED_CREDENTIALS_FILE", "~/mine");
        environment.put("AWS_CONFIG_FILE", "nowhere");

        assertThat(pair(null)).isEqualTo("MINE1 mine");
    }

    @Test
    void theKeysThatServeMadeAreTheLastResort() throws IOException {
        Files.delete(home.resolve(".aws/credentials"));
        Files.createDirectories(home.resolve("data"));
        Files.writeString(
                home.resolve("data/credentials"), "[default]\naws_access_key_id = MR1\naws_secret_access_key = made\n");

        assertThat(pair(null)).isEqualTo("MR1 made");
    }

    @Test
    void namedProfileMustExistAndHaveKeys() {
        assertThatThrownBy(() -> profiles("none").credentials())
                .isInstanceOfSatisfying(
                        CliException.class, e -> assertThat(e.exitCode()).isEqualTo(2))
                .hasMessageStartingWith("there is no profile none in ");
        assertThatThrownBy(() -> profiles("half").credentials())
                .isInstanceOfSatisfying(
                        CliException.class, e -> assertThat(e.exitCode()).isEqualTo(3))
                .hasMessageStartingWith("the profile half has no aws_access_key_id and aws_secret_access_key");
    }

    @Test
    void theHomeFolderIsThatOfTheEnvironment() {
        assertThat(CommandEnvironment.home(Map.of("HOME", "/home/me"), "/root")).isEqualTo(Path.of("/home/me"));
        assertThat(CommandEnvironment.home(Map.of("HOME", ""), "/root")).isEqualTo(Path.of("/root"));
        assertThat(CommandEnvironment.home(Map.of(), "/root")).isEqualTo(Path.of("/root"));
    }

    @Test
    void toStringHidesTheSecret() {
        assertThat(profiles("work").credentials().toString()).contains("WORK1").doesNotContain("work-secret");
    }

    private String pair(@Nullable String named) {
        SigningCredentials found = profiles(named).credentials();
        return found.accessKey() + " " + found.secretKey().reveal();
    }

    private CredentialsResolver profiles(@Nullable String named) {
        return new CredentialsResolver(
                new CommandEnvironment(environment, home, home, InputStream.nullInputStream(), OptionalInt.empty()),
                named);
    }
}
