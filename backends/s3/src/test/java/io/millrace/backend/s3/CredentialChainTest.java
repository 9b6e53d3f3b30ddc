package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests every source of the credentials chain in its own process, whose environment configures only this source,
 * against {@link FakeAws}. Checks which keys signed the request to S3.
 */
class CredentialChainTest {
    private static final String ROLE = "arn:aws:iam::123456789012:role/reader";

    @TempDir
    Path home;

    private final Map<String, String> environment = new TreeMap<>();
    private final FakeAws aws = new FakeAws();

    @BeforeEach
    void start() {
        environment.put("HOME", home.toString());
        environment.put("PATH", System.getenv("PATH"));
        environment.put("AWS_REGION", "us-east-1");
        environment.put("AWS_EC2_METADATA_DISABLED", "true");
        // Otherwise the SDK waits a second, and takes a pause of this process for a machine without the service.
        environment.put("AWS_METADATA_SERVICE_TIMEOUT", "60");
        for (String service : List.of("STS", "SSO", "SSO_OIDC")) {
            environment.put("AWS_ENDPOINT_URL_" + service, aws.uri().toString());
        }
    }

    @AfterEach
    void stop() {
        aws.close();
    }

    @Test
    void environmentVariables() throws Exception {
        environment.put("AWS_ACCESS_KEY_ID", "ENVIRONMENT");
        environment.put("AWS_SECRET_ACCESS_KEY", "secret");
        environment.put("AWS_SESSION_TOKEN", "environment-token");

        assertSignedBy("ENVIRONMENT [environment-token]");
    }

    @Test
    void webIdentityOfAPod() throws Exception {
        giveWebIdentity();

        assertSignedBy("AssumeRoleWithWebIdentity [AssumeRoleWithWebIdentity-token]");
    }

    @Test
    void addressOfStsNeedsNoRegionBesideIt() throws Exception {
        environment.remove("AWS_REGION");
        giveWebIdentity();

        assertSignedBy("AssumeRoleWithWebIdentity [AssumeRoleWithWebIdentity-token]");
    }

    @Test
    void addressOfStsNeedsNoRegionOfAProfile() throws Exception {
        environment.remove("AWS_REGION");
        environment.put("AWS_PROFILE", "reader");
        write(".aws/config", """
                [profile reader]
                role_arn = %s
                source_profile = base
                [profile base]
                aws_access_key_id = BASE
                aws_secret_access_key = secret
                """.formatted(ROLE));

        assertSignedBy("AssumeRole [AssumeRole-token]");
    }

    @Test
    void profileWithKeys() throws Exception {
        write(".aws/credentials", "[default]\naws_access_key_id=PROFILE\naws_secret_access_key=secret\n");

        assertSignedBy("PROFILE []");
    }

    @Tag("slow")
    @Test
    void profileThatAssumesARole() throws Exception {
        environment.put("AWS_PROFILE", "reader");
        write(".aws/config", """
                [profile reader]
                role_arn = %s
                source_profile = base
                [profile base]
                aws_access_key_id = BASE
                aws_secret_access_key = secret
                """.formatted(ROLE));

        assertSignedBy("AssumeRole [AssumeRole-token]");
        assertThat(aws.asked()).containsExactly("AssumeRole by BASE");
    }

    @Tag("slow")
    @Test
    void profileThatAssumesARoleByAnother() throws Exception {
        environment.put("AWS_PROFILE", "reader");
        write(".aws/config", """
                [profile reader]
                role_arn = %1$s
                source_profile = between
                [profile between]
                role_arn = %1$s
                source_profile = base
                [profile base]
                aws_access_key_id = BASE
                aws_secret_access_key = secret
                """.formatted(ROLE));

        assertSignedBy("AssumeRole [AssumeRole-token]");
        assertThat(aws.asked()).containsExactly("AssumeRole by BASE", "AssumeRole by AssumeRole");
    }

    @Tag("slow")
    @Test
    void profileThatAssumesARoleByTheInstance() throws Exception {
        giveMetadata();
        write(".aws/config", "[default]\nrole_arn = %s\ncredential_source = Ec2InstanceMetadata\n".formatted(ROLE));

        assertSignedBy("AssumeRole [AssumeRole-token]");
        assertThat(aws.asked()).endsWith("AssumeRole by INSTANCE");
    }

    @Tag("slow")
    @Test
    void profileWithAProcess() throws Exception {
        write("keys.json", FakeAws.document("PROCESS"));
        write(".aws/config", "[default]\ncredential_process = cat %s\n".formatted(home.resolve("keys.json")));

        assertSignedBy("PROCESS [PROCESS-token]");
    }

    @Tag("slow")
    @Test
    void profileWithAWebIdentity() throws Exception {
        write("token", "jwt");
        write(
                ".aws/config",
                "[default]\nrole_arn = %s\nweb_identity_token_file = %s\n".formatted(ROLE, home.resolve("token")));

        assertSignedBy("AssumeRoleWithWebIdentity [AssumeRoleWithWebIdentity-token]");
    }

    @Tag("slow")
    @Test
    void profileWithSso() throws Exception {
        String start = "https://corp.awsapps.com/start";
        write(".aws/config", """
                [default]
                sso_start_url = %s
                sso_region = us-east-1
                sso_account_id = 123456789012
                sso_role_name = reader
                """.formatted(start));
        write(".aws/sso/cache/%s.json".formatted(sha1(start)), """
                {"accessToken":"logged-in","expiresAt":"2099-01-01T00:00:00Z","region":"us-east-1","startUrl":"%s"}""".formatted(start));

        assertSignedBy("SSO [sso-token]");
        assertThat(aws.asked()).containsExactly("sso logged-in");
    }

    /** A session is renewed without a new login. */
    @Tag("slow")
    @Test
    void profileWithAnSsoSessionThatHasExpired() throws Exception {
        write(".aws/config", """
                [default]
                sso_session = corp
                sso_account_id = 123456789012
                sso_role_name = reader
                [sso-session corp]
                sso_region = us-east-1
                sso_start_url = https://corp.awsapps.com/start
                """);
        write(".aws/sso/cache/%s.json".formatted(sha1("corp")), """
                {"accessToken":"old","expiresAt":"2020-01-01T00:00:00Z","region":"us-east-1",\
                "startUrl":"https://corp.awsapps.com/start","clientId":"c","clientSecret":"s",\
                "registrationExpiresAt":"2099-01-01T00:00:00Z","refreshToken":"r"}""");

        assertSignedBy("SSO [sso-token]");
        assertThat(aws.asked()).containsExactly("oidc", "sso renewed");
    }

    @Tag("slow")
    @Test
    void containerOfAPodIdentity() throws Exception {
        write("token", "pod-token");
        environment.put("AWS_CONTAINER_CREDENTIALS_FULL_URI", aws.uri() + "/container");
        environment.put(
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", home.resolve("token").toString());

        assertSignedBy("CONTAINER [CONTAINER-token]");
        assertThat(aws.asked()).containsExactly("container pod-token");
    }

    @Test
    void instanceMetadata() throws Exception {
        giveMetadata();

        assertSignedBy("INSTANCE [INSTANCE-token]");
    }

    /** The role of the node is not that of the pod: who signs with it reads and writes what it should not. */
    @Tag("slow")
    @Test
    void refusedWebIdentityDoesNotUseTheNodeRole() throws Exception {
        giveWebIdentity();
        giveMetadata();
        aws.refuse();

        assertThat(run())
                .contains(
                        "backend 'cloud'",
                        "no credentials from web identity (AWS_WEB_IDENTITY_TOKEN_FILE=",
                        ROLE,
                        "Not authorized to perform AssumeRoleWithWebIdentity");
        assertThat(aws.signed()).isEmpty();
        assertThat(aws.asked()).doesNotContain("metadata");
    }

    @Tag("slow")
    @Test
    void missingProfileIsNamed() throws Exception {
        environment.put("AWS_PROFILE", "reader");

        assertThat(run()).contains("backend 'cloud'", "no credentials from profile 'reader'");
    }

    @Tag("slow")
    @Test
    void refusedRoleNamesProfileAndItsSources() throws Exception {
        write(".aws/config", """
                [default]
                role_arn = %s
                source_profile = base
                [profile base]
                aws_access_key_id = BASE
                aws_secret_access_key = secret
                """.formatted(ROLE));
        aws.refuse();

        assertThat(run())
                .contains(
                        "no credentials from profile 'default' [role_arn, source_profile]",
                        "Not authorized to perform AssumeRole");
    }

    @Test
    void missingCredentialsErrorNamesTheSettings() throws Exception {
        assertThat(run()).contains("backend 'cloud'", "there are no credentials: give access-key and secret-key");
    }

    private void giveWebIdentity() throws IOException {
        write("token", "jwt");
        environment.put("AWS_WEB_IDENTITY_TOKEN_FILE", home.resolve("token").toString());
        environment.put("AWS_ROLE_ARN", ROLE);
    }

    private void giveMetadata() {
        environment.remove("AWS_EC2_METADATA_DISABLED");
        environment.put("AWS_EC2_METADATA_SERVICE_ENDPOINT", aws.uri().toString());
    }

    private void assertSignedBy(String signer) throws Exception {
        assertThat(run()).contains("size 3");
        assertThat(aws.signed()).containsExactly(signer);
    }

    private String run() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                CredentialChainMain.class.getName(),
                aws.uri().toString());
        builder.environment().clear();
        builder.environment().putAll(environment);
        Path output = home.resolve("output");
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output);
    }

    private void write(String name, String text) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** As the AWS CLI names what it keeps of a login. */
    private static String sha1(String text) throws GeneralSecurityException {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}
