package io.millrace.gateway.sts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import io.millrace.auth.PayloadType;
import io.millrace.auth.Sha256;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.backend.testkit.Polling;
import io.millrace.config.Secret;
import io.millrace.gateway.app.Gateway;
import io.millrace.gateway.app.MachineChecks;
import io.millrace.gateway.app.SettingsLoader;
import io.millrace.gateway.app.SettingsSource;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.services.sts.model.Credentials;
import software.amazon.awssdk.services.sts.model.InvalidIdentityTokenException;
import software.amazon.awssdk.services.sts.model.StsException;

/** Tests temporary credentials with AWS's SDK: a token file as in a pod, an identity provider, a running gateway. */
@Timeout(120)
class StsTest {
    private static final String ROLE = "arn:aws:iam::000000000000:role/";

    @TempDir
    private Path folder;

    private OidcServer provider;
    /** Generated once: that takes longer than what many tests do. */
    private static RSAKey firstKey;

    private RSAKey key;
    private Path tokenFile;

    @BeforeAll
    static void generate() throws JOSEException {
        firstKey = new RSAKeyGenerator(2048).keyID("first").generate();
    }

    @BeforeEach
    void start() throws Exception {
        provider = new OidcServer();
        key = firstKey;
        provider.publish(key);
        tokenFile = folder.resolve("token");
        writeToken("system:pod:trainer");
        Files.createDirectories(folder.resolve("objects/data"));
        Files.writeString(folder.resolve("objects/data/key"), "content");
        Files.writeString(folder.resolve("objects/data/other"), "secret");
    }

    @AfterEach
    void stop() {
        provider.close();
    }

    @Test
    void tokenFileIsEnoughToRead() throws Exception {
        try (Gateway gateway = start(true);
                StsClient sts = sts(gateway);
                StsWebIdentityTokenFileCredentialsProvider credentials = provider(sts, "reader");
                S3Client s3 = s3(gateway, credentials.resolveCredentials())) {
            // From the backend, the disk, memory. Nobody else reads here. The meter counts after the response.
            Polling.until("the fast path has served the session", () -> {
                assertThat(content(s3, "key")).isEqualTo("content");
                return servedFromMemory(gateway) > 0;
            });
            assertDenied(() -> content(s3, "other"));
            assertDenied(() -> s3.putObject(put -> put.bucket("data").key("key"), RequestBody.fromString("x")));
        }
    }

    @Test
    void hitsOfASessionAreFast() throws Exception {
        try (Gateway gateway = start(true);
                StsClient sts = sts(gateway);
                StsWebIdentityTokenFileCredentialsProvider credentials = provider(sts, "reader");
                S3Client s3 = s3(gateway, credentials.resolveCredentials());
                S3Presigner presigner = presigner(gateway, credentials.resolveCredentials())) {
            Polling.until("a hit by the header is fast", () -> {
                assertThat(content(s3, "key")).isEqualTo("content");
                return fastHits(gateway) > 0;
            });
            double before = fastHits(gateway);
            String url = presigner
                    .presignGetObject(presigned -> presigned
                            .signatureDuration(Duration.ofMinutes(5))
                            .getObjectRequest(get -> get.bucket("data").key("key")))
                    .url()
                    .toString();
            assertThat(url).contains("X-Amz-Security-Token=");

            assertThat(get(url).body()).isEqualTo("content");

            Polling.until("a presigned hit is fast", () -> fastHits(gateway) > before);
            assertThat(get(url.replace("X-Amz-Security-Token=", "X-Amz-Security-Token=A"))
                            .statusCode())
                    .isIn(400, 403);
        }
    }

    private static double fastHits(Gateway gateway) throws Exception {
        return get(gateway.consoleUrl() + "metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("millrace_s3_fast_path_total"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Asks without an upgrade to HTTP/2. */
    private static HttpResponse<String> get(String url) throws Exception {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
    }

    @Test
    void sessionSurvivesARestartButNotItsRole() throws Exception {
        AwsCredentials session;
        try (Gateway gateway = start(true);
                StsClient sts = sts(gateway);
                StsWebIdentityTokenFileCredentialsProvider credentials = provider(sts, "reader")) {
            session = credentials.resolveCredentials();
        }
        try (Gateway again = start(true);
                S3Client s3 = s3(again, session)) {
            assertThat(content(s3, "key")).isEqualTo("content");
        }
        try (Gateway without = Gateway.start(SettingsLoader.ofText(
                        settings("true").replace("name: reader", "name: x").replace("role/reader", "role/x"),
                        Map.of()));
                S3Client s3 = s3(without, session)) {
            assertThatThrownBy(() -> content(s3, "key"))
                    .isInstanceOfSatisfying(
                            S3Exception.class,
                            e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("InvalidToken"));
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("data/session-keys"))))
                .isEqualTo("rw-------");
    }

    @ParameterizedTest
    @CsvSource({"role, reader", "session, reader/test", "session, KEY", "all, ''"})
    void revokedSessionEndsAtOnce(String target, String name) throws Exception {
        try (Gateway gateway = start(true);
                StsClient sts = sts(gateway)) {
            AwsSessionCredentials session = assume(sts);
            try (S3Client s3 = s3(gateway, session);
                    S3Presigner presigner = presigner(gateway, session)) {
                URI link = presigner
                        .presignGetObject(url -> url.signatureDuration(Duration.ofMinutes(5))
                                .getObjectRequest(get -> get.bucket("data").key("key")))
                        .url()
                        .toURI();
                assertThat(content(s3, "key")).isEqualTo("content");
                assertThat(status(link)).isEqualTo(200);

                revoke(gateway, target, name.equals("KEY") ? session.accessKeyId() : name);

                assertDenied(() -> content(s3, "key"));
                assertThat(status(link)).isEqualTo(403);
            }
            try (S3Client s3 = s3(gateway, assume(sts))) {
                assertThat(content(s3, "key")).isEqualTo("content");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"role, reader", "session, reader/test", "session, KEY"})
    void revokedSessionEndsThoseThatItAssumed(String target, String name) throws Exception {
        try (Gateway gateway = start(true);
                StsClient anonymous = sts(gateway)) {
            AwsSessionCredentials first = assume(anonymous);
            try (StsClient pod = sts(gateway, StaticCredentialsProvider.create(first));
                    S3Client chained = s3(gateway, assume(pod, "keeper", null, null))) {
                assertThat(content(chained, "other")).isEqualTo("secret");

                revoke(gateway, target, name.equals("KEY") ? first.accessKeyId() : name);

                assertDenied(() -> content(chained, "other"));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"system:pod:other, reader", "system:pod:trainer, absent", "system:pod:trainer, ''"})
    void roleIsForItsSubjectsOnly(String subject, String role) throws Exception {
        writeToken(subject);
        try (Gateway gateway = start(true);
                StsClient sts = sts(gateway);
                StsWebIdentityTokenFileCredentialsProvider credentials = provider(sts, role)) {
            assertThatThrownBy(credentials::resolveCredentials)
                    .isInstanceOfSatisfying(
                            StsException.class,
                            e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("AccessDenied"));
        }
    }

    @Test
    void claimsLetIntoARoleAndAreTagsOfItsSessions() throws Exception {
        Files.writeString(folder.resolve("team.json"), """
                { "Version": "2012-10-17", "Statement": [ { "Effect": "Allow", "Action": "s3:GetObject",
                  "Resource": "arn:aws:s3:::data/key", "Condition": { "StringEquals": { "aws:PrincipalTag/team": "red" } } } ] }
                """);
        String settings = settings("true")
                .replace(
                        "roles: [ ",
                        ("roles: [ { name: team, issuer: \"%s\", claims: { groups: ml-* }, session-tags: [ team ],"
                                        + " policies: %s/team.json }, ")
                                .formatted(provider.url(), folder));
        try (Gateway gateway = Gateway.start(SettingsLoader.ofText(settings, Map.of()));
                StsClient sts = sts(gateway)) {
            writeToken(provider.claims("any")
                    .claim("groups", List.of("all", "ml-team"))
                    .claim("team", "red"));
            AwsSessionCredentials red = assume(sts, "team");
            writeToken(provider.claims("any").claim("groups", "ml-team").claim("team", "blue"));
            AwsSessionCredentials blue = assume(sts, "team");
            try (S3Client redS3 = s3(gateway, red);
                    S3Client blueS3 = s3(gateway, blue)) {
                for (int read = 0; read < 3; read++) { // from the backend, the disk, memory
                    assertThat(content(redS3, "key")).isEqualTo("content");
                    assertDenied(() -> content(blueS3, "key"));
                }
            }
            writeToken(provider.claims("any").claim("groups", "ml-team").claim("team", List.of("red", "blue")));
            assertThatThrownBy(() -> assume(sts, "team"))
                    .isInstanceOf(InvalidIdentityTokenException.class)
                    .hasMessageContaining("claim team");
            writeToken(provider.claims("any").claim("groups", List.of("all")));
            assertRefused(() -> assume(sts, "team"), "AccessDenied");
            writeToken(provider.claims("any"));
            assertRefused(() -> assume(sts, "team"), "AccessDenied");
        }
        assertThatThrownBy(() ->
                        SettingsLoader.ofText(settings.replace("session-tags: [ team ]", "session-tags: []"), Map.of()))
                .hasMessageContaining("aws:PrincipalTag/team");
        assertThatThrownBy(() -> SettingsLoader.ofText(
                        settings.replace("allow: \"*\"", "policies: %s/team.json".formatted(folder)), Map.of()))
                .hasMessageContaining("identities do not");
    }

    @Test
    void stsHasAPathOfItsOwn() throws Exception {
        try (Gateway gateway = start(true)) {
            for (String path : List.of("/sts", "/sts/")) {
                try (StsClient sts = StsClient.builder()
                        .httpClientBuilder(Apache5HttpClient.builder())
                        .endpointOverride(uri(gateway).resolve(path))
                        .region(Region.US_EAST_1)
                        .credentialsProvider(keys("ADMIN01", "ADMIN01-secret"))
                        .build()) {
                    assertThat(sts.getCallerIdentity().userId()).isEqualTo("admin");
                    assertThat(assume(sts).sessionToken()).isNotEmpty();
                }
                assertThat(post(gateway, path, form()).statusCode()).isEqualTo(200);
                assertThat(post(gateway, path + "?delete", form()).body()).doesNotContain("sts.amazonaws.com");
            }
            assertThat(post(gateway, "/data", form()).body()).doesNotContain("sts.amazonaws.com");
            assertThat(post(gateway, "/sts/key", form()).body()).doesNotContain("sts.amazonaws.com");
        }
    }

    @Test
    void invalidTokenIsRefusedAsByAws() throws Exception {
        Files.writeString(tokenFile, "no.token.atall");
        try (Gateway gateway = start(true);
                StsClient sts = sts(gateway);
                StsWebIdentityTokenFileCredentialsProvider credentials = provider(sts, "reader")) {
            assertThatThrownBy(credentials::resolveCredentials).isInstanceOf(InvalidIdentityTokenException.class);
        }
    }

    @Test
    void requestsAreCountedUnderTheirOperations() throws Exception {
        try (Gateway gateway = start(true);
                StsClient sts = sts(gateway, keys("ADMIN01", "ADMIN01-secret"))) {
            assertThat(sts.getCallerIdentity().userId()).isEqualTo("admin");
            Files.writeString(tokenFile, "no.token.atall");
            assertThatThrownBy(() -> assume(sts)).isInstanceOf(InvalidIdentityTokenException.class);
            assertThat(post(gateway, "/sts", "Action=DecodeAuthorizationMessage&Version=2011-06-15")
                            .statusCode())
                    .isEqualTo(400);

            Polling.until("all are counted", () -> {
                String metrics = get(gateway.consoleUrl() + "metrics").body();
                return Stream.of(
                                "request_seconds_count{operation=\"GetCallerIdentity\",outcome=\"ok\"} 1",
                                "errors_total{code=\"InvalidIdentityToken\","
                                        + "operation=\"AssumeRoleWithWebIdentity\",status=\"400\"} 1",
                                "errors_total{code=\"InvalidAction\",operation=\"none\",status=\"400\"} 1")
                        .allMatch(line -> metrics.contains("millrace_s3_" + line));
            });
        }
    }

    @Test
    void plainHttpIsRefusedUnlessSet() throws Exception {
        try (Gateway gateway = start(false)) {
            HttpResponse<String> response = post(gateway, form());
            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body()).contains("<Code>AccessDenied</Code>", "TLS");
        }
    }

    @Test
    void callerIsNamed() throws Exception {
        try (Gateway gateway = start(true);
                StsClient anonymous = sts(gateway);
                StsWebIdentityTokenFileCredentialsProvider role = provider(anonymous, "reader");
                StsClient pod = sts(gateway, role);
                StsClient admin = sts(gateway, keys("ADMIN01", "ADMIN01-secret"))) {
            assertThat(admin.getCallerIdentity().arn()).isEqualTo("arn:aws:iam::000000000000:user/admin");
            assertThat(admin.getCallerIdentity().userId()).isEqualTo("admin");
            assertThat(pod.getCallerIdentity().arn()).isEqualTo("arn:aws:sts::000000000000:assumed-role/reader/test");
            assertThat(pod.getCallerIdentity().account()).isEqualTo("000000000000");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ADMIN01, wrong-secret, SignatureDoesNotMatch",
        "NOBODY1, ADMIN01-secret, InvalidClientTokenId",
    })
    void callerWithWrongKeysIsRefused(String accessKey, String secretKey, String code) throws Exception {
        try (Gateway gateway = start(true);
                StsClient sts = sts(gateway, keys(accessKey, secretKey))) {
            assertThatThrownBy(sts::getCallerIdentity)
                    .isInstanceOfSatisfying(
                            StsException.class,
                            e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo(code));
        }
    }

    @Test
    void callerIsNamedWithoutRolesAndOverPlainHttp() throws Exception {
        String plain = settings("false").replaceFirst("(?s)sts:.*", "");
        try (Gateway gateway = Gateway.start(SettingsLoader.ofText(plain, Map.of()));
                StsClient sts = sts(gateway, keys("ADMIN01", "ADMIN01-secret"))) {
            assertThat(sts.getCallerIdentity().userId()).isEqualTo("admin");
            HttpResponse<String> unsigned = post(gateway, "Action=GetCallerIdentity&Version=2011-06-15");
            assertThat(unsigned.statusCode()).isEqualTo(403);
            assertThat(unsigned.body()).contains("<Code>MissingAuthenticationToken</Code>");
            assertThat(post(gateway, form()).body()).contains("<Code>AccessDenied</Code>");
        }
    }

    @Test
    void malformedRequestsAreRefused() throws Exception {
        try (Gateway gateway = start(true)) {
            assertThat(post(gateway, form()).statusCode()).isEqualTo(200);
            assertRefused(gateway, "", "ValidationError");
            assertRefused(gateway, "%zz=1", "ValidationError");
            assertRefused(gateway, "Action=AssumeRoleWithSAML&Version=2011-06-15", "InvalidAction");
            assertRefused(gateway, form().replace("2011-06-15", "2010-01-01"), "InvalidAction");
            assertRefused(gateway, form() + "&Policy={}", "MalformedPolicyDocument");
            assertRefused(gateway, form() + "&Policy=" + "a".repeat(2049), "ValidationError");
            assertRefused(gateway, form() + "&PolicyArns.member.1.arn=a", "ValidationError");
            assertRefused(gateway, form() + "&RoleArn=again", "ValidationError");
            assertRefused(gateway, form() + "&DurationSeconds=899", "ValidationError");
            assertRefused(gateway, form() + "&DurationSeconds=3601", "ValidationError");
            assertRefused(gateway, form() + "&DurationSeconds=-1", "ValidationError");
            assertRefused(gateway, "a".repeat(40_000), "ValidationError");
        }
    }

    @Test
    void identityAssumesARoleAndMayNarrowIt() throws Exception {
        String onlyKey = "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Action\":\"s3:*\","
                + "\"Resource\":\"arn:aws:s3:::data/key\"}]}";
        try (Gateway gateway = start(true);
                StsClient sts = sts(gateway, keys("ADMIN01", "ADMIN01-secret"));
                S3Client whole = s3(gateway, assume(sts, "keeper", null, null));
                S3Client narrow = s3(gateway, assume(sts, "keeper", onlyKey, 7200))) {
            assertThat(content(whole, "other")).isEqualTo("secret");
            assertDenied(() -> whole.putObject(put -> put.bucket("data").key("x"), RequestBody.fromString("x")));
            assertThat(content(narrow, "key")).isEqualTo("content");
            assertDenied(() -> content(narrow, "other"));
            assertDenied(() -> narrow.listObjectsV2(list -> list.bucket("data")));
            assertDenied(() -> narrow.putObject(put -> put.bucket("data").key("key"), RequestBody.fromString("x")));
            assertRefused(() -> assume(sts, "reader", null, null), "AccessDenied");
            assertRefused(() -> assume(sts, "absent", null, null), "AccessDenied");
            assertRefused(
                    () -> assume(sts, "keeper", onlyKey.replace("Action", "Actions"), null), "MalformedPolicyDocument");
        }
    }

    @Test
    void sessionPolicyHoldsForUrlsAndBarsOtherRoles() throws Exception {
        String onlyOther = "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Action\":\"*\","
                + "\"Resource\":\"arn:aws:s3:::data/other\"}]}";
        try (Gateway gateway = start(true);
                StsClient anonymous = sts(gateway)) {
            AwsSessionCredentials narrow = limited(anonymous, onlyOther);
            try (StsClient sts = sts(gateway, StaticCredentialsProvider.create(narrow));
                    S3Presigner presigner = presigner(gateway, narrow)) {
                for (String key : List.of("key", "other")) {
                    URI link = presigner
                            .presignGetObject(url -> url.signatureDuration(Duration.ofMinutes(5))
                                    .getObjectRequest(get -> get.bucket("data").key(key)))
                            .url()
                            .toURI();
                    assertThat(status(link)).isEqualTo(403);
                }
                assertRefused(() -> assume(sts, "keeper", null, null), "AccessDenied");
            }
        }
    }

    @Test
    void sessionAssumesARoleForAnHourAtMost() throws Exception {
        try (Gateway gateway = start(true);
                StsClient anonymous = sts(gateway);
                StsClient pod = sts(gateway, StaticCredentialsProvider.create(assume(anonymous)));
                S3Client s3 = s3(gateway, assume(pod, "keeper", null, 3600))) {
            assertThat(content(s3, "other")).isEqualTo("secret");
            assertRefused(() -> assume(pod, "keeper", null, 3601), "ValidationError");
            assertRefused(pod::getSessionToken, "AccessDenied");
        }
    }

    @Test
    void sessionsEndWithTheIdentityTheyGoBackTo() throws Exception {
        try (Gateway gateway = start(true);
                StsClient admin = sts(gateway, keys("ADMIN01", "ADMIN01-secret"))) {
            AwsSessionCredentials session = session(admin.getSessionToken().credentials());
            try (StsClient same = sts(gateway, StaticCredentialsProvider.create(session));
                    S3Client s3 = s3(gateway, session);
                    S3Client chained = s3(gateway, assume(same, "keeper", null, null))) {
                assertThat(same.getCallerIdentity().arn()).isEqualTo("arn:aws:iam::000000000000:user/admin");
                assertThat(content(s3, "other")).isEqualTo("secret");
                assertThat(content(chained, "other")).isEqualTo("secret");

                revoke(gateway, "sessions-of", "admin");

                assertDenied(() -> content(s3, "other"));
                assertDenied(() -> content(chained, "other"));
                assertRefused(same::getCallerIdentity, "AccessDenied");
                assertThat(admin.getCallerIdentity().userId()).isEqualTo("admin");
            }
        }
    }

    @Test
    void sessionsEndWithTheSecretTheyWereMadeWith() throws Exception {
        Path file = folder.resolve("millrace.yaml");
        Files.writeString(file, settings("true"));
        SettingsSource source = () -> SettingsLoader.ofFile(file, MachineChecks.inThisProcess());
        AwsSessionCredentials own;
        AwsSessionCredentials keeper;
        AwsSessionCredentials pod;
        try (Gateway gateway = Gateway.start(source.load(), Optional.of(source));
                StsClient anonymous = sts(gateway);
                StsClient admin = sts(gateway, keys("ADMIN01", "ADMIN01-secret"))) {
            own = session(admin.getSessionToken().credentials());
            keeper = assume(admin, "keeper", null, null);
            pod = assume(anonymous);
            try (S3Client ownS3 = s3(gateway, own);
                    S3Client keeperS3 = s3(gateway, keeper);
                    S3Client podS3 = s3(gateway, pod)) {
                assertThat(content(ownS3, "key")).isEqualTo("content");
                assertThat(content(keeperS3, "key")).isEqualTo("content");
                Files.writeString(file, settings("true").replace("ADMIN01-secret", "ADMIN01-replaced"));

                api(gateway, "settings/reload", "");

                assertEnded(() -> content(ownS3, "key"));
                assertEnded(() -> content(keeperS3, "key"));
                assertThat(content(podS3, "key")).isEqualTo("content");
            }
        }
        try (Gateway again = Gateway.start(source.load(), Optional.of(source));
                S3Client ownS3 = s3(again, own);
                S3Client keeperS3 = s3(again, keeper);
                S3Client podS3 = s3(again, pod)) {
            assertEnded(() -> content(ownS3, "key"));
            assertEnded(() -> content(keeperS3, "key"));
            assertThat(content(podS3, "key")).isEqualTo("content");
        }
    }

    private static void assertEnded(Runnable request) {
        assertThatThrownBy(request::run)
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("ExpiredToken"));
    }

    @Test
    void issuedAndRefusedCredentialsAreInTheAuditLogWithoutSecrets() throws Exception {
        AwsSessionCredentials issued;
        String token = Files.readString(tokenFile);
        try (Gateway gateway = start(true);
                StsClient anonymous = sts(gateway);
                StsClient admin = sts(gateway, keys("ADMIN01", "ADMIN01-secret"))) {
            issued = assume(anonymous);
            assume(admin, "keeper", null, null);
            assertRefused(() -> assume(admin, "reader", null, null), "AccessDenied");
        }
        assertThat(Files.readAllLines(folder.resolve("audit.log")))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains(
                                        "system:pod:trainer", "AssumeRoleWithWebIdentity reader test ASIA", "allowed"),
                        line -> assertThat(line).contains("\"admin\"", "AssumeRole keeper test ASIA", "allowed"),
                        line -> assertThat(line).contains("\"admin\"", "AssumeRole reader test\"", "denied", "403"))
                .noneMatch(line -> line.contains(issued.secretAccessKey()) || line.contains(issued.sessionToken()))
                .noneMatch(line -> line.contains(token));
    }

    private static AwsSessionCredentials assume(
            StsClient sts, String role, @Nullable String policy, @Nullable Integer seconds) {
        Credentials issued = sts.assumeRole(request -> request.roleArn(ROLE + role)
                        .roleSessionName("test")
                        .policy(policy)
                        .durationSeconds(seconds))
                .credentials();
        return session(issued);
    }

    private AwsSessionCredentials limited(StsClient sts, String policy) throws Exception {
        String token = Files.readString(tokenFile);
        Credentials issued = sts.assumeRoleWithWebIdentity(request -> request.roleArn(ROLE + "reader")
                        .roleSessionName("test")
                        .webIdentityToken(token)
                        .policy(policy))
                .credentials();
        return session(issued);
    }

    private static AwsSessionCredentials session(Credentials issued) {
        return AwsSessionCredentials.create(issued.accessKeyId(), issued.secretAccessKey(), issued.sessionToken());
    }

    private static void assertRefused(Runnable request, String code) {
        assertThatThrownBy(request::run)
                .isInstanceOfSatisfying(
                        StsException.class,
                        e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo(code));
    }

    private static void assertRefused(Gateway gateway, String body, String code) throws Exception {
        HttpResponse<String> response = post(gateway, body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("<Code>" + code + "</Code>");
    }

    private void writeToken(String subject) throws Exception {
        writeToken(provider.claims(subject));
    }

    private void writeToken(JWTClaimsSet.Builder claims) throws Exception {
        Files.writeString(tokenFile, OidcServer.signed(key, JWSAlgorithm.RS256, claims.build()));
    }

    private String form() throws Exception {
        return "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + ROLE
                + "reader&RoleSessionName=test&WebIdentityToken=" + Files.readString(tokenFile);
    }

    private Gateway start(boolean plainHttp) throws Exception {
        return Gateway.start(SettingsLoader.ofText(settings("" + plainHttp), Map.of()));
    }

    private String settings(String plainHttp) {
        return """
                s3: { address: 127.0.0.1, port: 0 }
                admin: { address: 127.0.0.1, port: 0 }
                data: %1$s/data
                cache: { disks: [ { path: %1$s/cache, size: 64MiB } ] }
                backends: { local: { type: file, path: %1$s/objects } }
                buckets: [ { name: data, backend: local, freshness: { mode: immutable } } ]
                audit: { path: %1$s/audit.log }
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                sts:
                  plain-http: %3$s
                  issuers: [ { url: "%2$s", audience: millrace } ]
                  roles: [ { name: reader, issuer: "%2$s", subjects: [ "system:pod:train*" ], allow: [ "read:data/key" ] }, { name: keeper, assumed-by: [ user/admin, role/reader ], max-duration: 2h, allow: [ "read,list:data" ] } ]
                """.formatted(folder, provider.url(), plainHttp);
    }

    private static HttpResponse<String> post(Gateway gateway, String body) throws Exception {
        return post(gateway, "/", body);
    }

    private static HttpResponse<String> post(Gateway gateway, String path, String body) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri(gateway).resolve(path))
                                .header("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
                                .POST(BodyPublishers.ofString(body))
                                .build(),
                        BodyHandlers.ofString());
    }

    /** Returns the number of requests that the fast path served. */
    private static double servedFromMemory(Gateway gateway) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.adminPort() + "/metrics"))
                                .build(),
                        BodyHandlers.ofLines())
                .body()
                .filter(line -> line.startsWith("millrace_s3_fast_path_total"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private AwsSessionCredentials assume(StsClient sts) {
        return assume(sts, "reader");
    }

    private AwsSessionCredentials assume(StsClient sts, String role) {
        try (StsWebIdentityTokenFileCredentialsProvider credentials = provider(sts, role)) {
            return (AwsSessionCredentials) credentials.resolveCredentials();
        }
    }

    private static void revoke(Gateway gateway, String target, String name) throws Exception {
        api(gateway, "revocations", "{\"target\":\"%s\",\"name\":\"%s\"}".formatted(target, name));
    }

    private static void api(Gateway gateway, String path, String body) throws Exception {
        URI uri = URI.create(gateway.consoleUrl() + "api/v1/" + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
        new RequestSigner("ADMIN01", Secret.of("ADMIN01-secret"), "us-east-1")
                .sign(uri, "POST", Map.of(), new PayloadType.Sha256(Sha256.hex(body.getBytes(UTF_8))), Instant.now())
                .forEach(request::header);
        HttpResponse<String> response = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    private static int status(URI uri) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                .statusCode();
    }

    private static S3Presigner presigner(Gateway gateway, AwsCredentials session) {
        return S3Presigner.builder()
                .endpointOverride(uri(gateway))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(session))
                .serviceConfiguration(
                        S3Configuration.builder().pathStyleAccessEnabled(true).build())
                .build();
    }

    private static StsClient sts(Gateway gateway) {
        return sts(gateway, AnonymousCredentialsProvider.create());
    }

    private static AwsCredentialsProvider keys(String accessKey, String secretKey) {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, secretKey));
    }

    private static StsClient sts(Gateway gateway, AwsCredentialsProvider credentials) {
        return StsClient.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(uri(gateway))
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials)
                .build();
    }

    private StsWebIdentityTokenFileCredentialsProvider provider(StsClient sts, String role) {
        return StsWebIdentityTokenFileCredentialsProvider.builder()
                .stsClient(sts)
                .roleArn(ROLE + role)
                .roleSessionName("test")
                .webIdentityTokenFile(tokenFile)
                .build();
    }

    private static S3Client s3(Gateway gateway, AwsCredentials session) {
        return S3Client.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(uri(gateway))
                .forcePathStyle(true)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(session))
                .build();
    }

    private static String content(S3Client s3, String key) {
        return s3.getObjectAsBytes(get -> get.bucket("data").key(key)).asUtf8String();
    }

    private static void assertDenied(Runnable request) {
        assertThatThrownBy(request::run)
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("AccessDenied"));
    }

    private static URI uri(Gateway gateway) {
        return URI.create("http://127.0.0.1:" + gateway.s3Port());
    }
}
