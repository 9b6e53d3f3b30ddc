package io.millrace.gateway.sts;

import static io.millrace.gateway.sts.StsClients.assertDenied;
import static io.millrace.gateway.sts.StsClients.assertRefused;
import static io.millrace.gateway.sts.StsClients.assume;
import static io.millrace.gateway.sts.StsClients.content;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.session.RevocationTarget;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.testkit.CacheExtension;
import io.millrace.gateway.testkit.TestGateway;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.services.sts.model.InvalidIdentityTokenException;

/** Tests temporary credentials with AWS's SDK: a token file as in a pod, an identity provider, a running gateway. */
@Timeout(120)
class StsTest {
    @RegisterExtension
    final CacheExtension cache = new CacheExtension();

    @TempDir
    private Path folder;

    private PodToken pod;

    @BeforeEach
    void writeFiles() throws Exception {
        pod = new PodToken(folder);
        Files.createDirectories(folder.resolve("objects/data"));
        Files.writeString(folder.resolve("objects/data/key"), "content");
        Files.writeString(folder.resolve("objects/data/other"), "secret");
    }

    @AfterEach
    void stop() {
        pod.close();
    }

    @Test
    void tokenFileIsEnoughToRead() throws Exception {
        try (IssuingGateway gateway = start(true);
                StsClient sts = gateway.clients().sts();
                StsWebIdentityTokenFileCredentialsProvider credentials = pod.credentials(sts, "reader");
                S3Client s3 = gateway.clients().s3(credentials.resolveCredentials())) {
            // From the backend, the disk, memory. Nobody else reads here. A response is counted after it.
            Polling.until("the fast path has served the session", () -> {
                assertThat(content(s3, "key")).isEqualTo("content");
                return gateway.fastHits() > 0;
            });
            assertDenied(() -> content(s3, "other"));
            assertDenied(() -> s3.putObject(put -> put.bucket("data").key("key"), RequestBody.fromString("x")));
        }
    }

    @Test
    void hitsOfASessionAreFast() throws Exception {
        try (IssuingGateway gateway = start(true);
                StsClient sts = gateway.clients().sts();
                StsWebIdentityTokenFileCredentialsProvider credentials = pod.credentials(sts, "reader");
                S3Client s3 = gateway.clients().s3(credentials.resolveCredentials());
                S3Presigner presigner = gateway.clients().presigner(credentials.resolveCredentials())) {
            Polling.until("a hit by the header is fast", () -> {
                assertThat(content(s3, "key")).isEqualTo("content");
                return gateway.fastHits() > 0;
            });
            long before = gateway.fastHits();
            String url = presigner
                    .presignGetObject(presigned -> presigned
                            .signatureDuration(Duration.ofMinutes(5))
                            .getObjectRequest(get -> get.bucket("data").key("key")))
                    .url()
                    .toString();
            assertThat(url).contains("X-Amz-Security-Token=");

            assertThat(get(url).body()).isEqualTo("content");

            Polling.until("a presigned hit is fast", () -> gateway.fastHits() > before);
            assertThat(get(url.replace("X-Amz-Security-Token=", "X-Amz-Security-Token=A"))
                            .statusCode())
                    .isIn(400, 403);
        }
    }

    @ParameterizedTest
    @CsvSource({"ROLE, reader", "SESSION, reader/test", "SESSION, KEY", "ALL, ''"})
    void revokedSessionEndsAtOnce(RevocationTarget target, String name) throws Exception {
        try (IssuingGateway gateway = start(true);
                StsClient sts = gateway.clients().sts()) {
            AwsSessionCredentials session = pod.assume(sts);
            try (S3Client s3 = gateway.clients().s3(session);
                    S3Presigner presigner = gateway.clients().presigner(session)) {
                URI link = presigner
                        .presignGetObject(url -> url.signatureDuration(Duration.ofMinutes(5))
                                .getObjectRequest(get -> get.bucket("data").key("key")))
                        .url()
                        .toURI();
                assertThat(content(s3, "key")).isEqualTo("content");
                assertThat(status(link)).isEqualTo(200);

                gateway.revoke(target, name.equals("KEY") ? session.accessKeyId() : name);

                assertDenied(() -> content(s3, "key"));
                assertThat(status(link)).isEqualTo(403);
            }
            try (S3Client s3 = gateway.clients().s3(pod.assume(sts))) {
                assertThat(content(s3, "key")).isEqualTo("content");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"ROLE, reader", "SESSION, reader/test", "SESSION, KEY"})
    void revokedSessionEndsThoseThatItAssumed(RevocationTarget target, String name) throws Exception {
        try (IssuingGateway gateway = start(true);
                StsClient anonymous = gateway.clients().sts()) {
            AwsSessionCredentials first = pod.assume(anonymous);
            try (StsClient session = gateway.clients().sts(StaticCredentialsProvider.create(first));
                    S3Client chained = gateway.clients().s3(assume(session, "keeper", null, null))) {
                assertThat(content(chained, "other")).isEqualTo("secret");

                gateway.revoke(target, name.equals("KEY") ? first.accessKeyId() : name);

                assertDenied(() -> content(chained, "other"));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"system:pod:other, reader", "system:pod:trainer, absent", "system:pod:trainer, ''"})
    void roleIsForItsSubjectsOnly(String subject, String role) throws Exception {
        pod.write(subject);
        try (IssuingGateway gateway = start(true);
                StsClient sts = gateway.clients().sts();
                StsWebIdentityTokenFileCredentialsProvider credentials = pod.credentials(sts, role)) {
            assertRefused(credentials::resolveCredentials, "AccessDenied");
        }
    }

    @Test
    void claimsLetIntoARoleAndAreTagsOfItsSessions() throws Exception {
        Files.writeString(folder.resolve("team.json"), """
                { "Version": "2012-10-17", "Statement": [ { "Effect": "Allow", "Action": "s3:GetObject",
                  "Resource": "arn:aws:s3:::data/key", "Condition": { "StringEquals": { "aws:PrincipalTag/team": "red" } } } ] }
                """);
        String team = ("{ name: team, issuer: \"%s\", claims: { groups: ml-* }, session-tags: [ team ],"
                        + " policies: team.json }")
                .formatted(pod.issuer());
        try (IssuingGateway gateway = start(settings(true, team));
                StsClient sts = gateway.clients().sts()) {
            pod.write(
                    pod.claims("any").claim("groups", List.of("all", "ml-team")).claim("team", "red"));
            AwsSessionCredentials red = pod.assume(sts, "team");
            pod.write(pod.claims("any").claim("groups", "ml-team").claim("team", "blue"));
            AwsSessionCredentials blue = pod.assume(sts, "team");
            try (S3Client redS3 = gateway.clients().s3(red);
                    S3Client blueS3 = gateway.clients().s3(blue)) {
                for (int read = 0; read < 3; read++) { // from the backend, the disk, memory
                    assertThat(content(redS3, "key")).isEqualTo("content");
                    assertDenied(() -> content(blueS3, "key"));
                }
            }
            pod.write(pod.claims("any").claim("groups", "ml-team").claim("team", List.of("red", "blue")));
            assertThatThrownBy(() -> pod.assume(sts, "team"))
                    .isInstanceOf(InvalidIdentityTokenException.class)
                    .hasMessageContaining("claim team");
            pod.write(pod.claims("any").claim("groups", List.of("all")));
            assertRefused(() -> pod.assume(sts, "team"), "AccessDenied");
            pod.write(pod.claims("any"));
            assertRefused(() -> pod.assume(sts, "team"), "AccessDenied");
        }
    }

    @Test
    void stsHasAPathOfItsOwn() throws Exception {
        try (IssuingGateway gateway = start(true)) {
            for (String path : List.of("/sts", "/sts/")) {
                try (StsClient sts = gateway.clients().sts(path, StsClients.keys("ADMIN01", "ADMIN01-secret"))) {
                    assertThat(sts.getCallerIdentity().userId()).isEqualTo("admin");
                    assertThat(pod.assume(sts).sessionToken()).isNotEmpty();
                }
                assertThat(gateway.clients().post(path, pod.form()).statusCode())
                        .isEqualTo(200);
            }
            for (String path : List.of("/sts?delete", "/sts/?delete", "/data", "/sts/key")) {
                assertThat(gateway.clients().post(path, pod.form()).body())
                        .as(path)
                        .doesNotContain("sts.amazonaws.com");
            }
        }
    }

    @Test
    void invalidTokenIsRefusedAsByAws() throws Exception {
        pod.writeText("no.token.atall");
        try (IssuingGateway gateway = start(true);
                StsClient sts = gateway.clients().sts();
                StsWebIdentityTokenFileCredentialsProvider credentials = pod.credentials(sts, "reader")) {
            assertThatThrownBy(credentials::resolveCredentials).isInstanceOf(InvalidIdentityTokenException.class);
        }
    }

    @Test
    void plainHttpIsRefusedUnlessSet() throws Exception {
        try (IssuingGateway gateway = start(false)) {
            HttpResponse<String> response = gateway.clients().post(pod.form());
            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body()).contains("<Code>AccessDenied</Code>", "TLS");
        }
    }

    @Test
    void callerIsNamed() throws Exception {
        try (IssuingGateway gateway = start(true);
                StsClient anonymous = gateway.clients().sts();
                StsWebIdentityTokenFileCredentialsProvider role = pod.credentials(anonymous, "reader");
                StsClient session = gateway.clients().sts(role);
                StsClient admin = gateway.clients().adminSts()) {
            assertThat(admin.getCallerIdentity().arn()).isEqualTo("arn:aws:iam::000000000000:user/admin");
            assertThat(admin.getCallerIdentity().userId()).isEqualTo("admin");
            assertThat(session.getCallerIdentity().arn())
                    .isEqualTo("arn:aws:sts::000000000000:assumed-role/reader/test");
            assertThat(session.getCallerIdentity().account()).isEqualTo("000000000000");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ADMIN01, wrong-secret, SignatureDoesNotMatch",
        "NOBODY1, ADMIN01-secret, InvalidClientTokenId",
    })
    void callerWithWrongKeysIsRefused(String accessKey, String secretKey, String code) throws Exception {
        try (IssuingGateway gateway = start(true);
                StsClient sts = gateway.clients().sts(StsClients.keys(accessKey, secretKey))) {
            assertRefused(sts::getCallerIdentity, code);
        }
    }

    @Test
    void callerIsNamedWithoutRolesAndOverPlainHttp() throws Exception {
        try (IssuingGateway gateway = start("{ plain-http: false }");
                StsClient sts = gateway.clients().adminSts()) {
            assertThat(sts.getCallerIdentity().userId()).isEqualTo("admin");
            HttpResponse<String> unsigned = gateway.clients().post("Action=GetCallerIdentity&Version=2011-06-15");
            assertThat(unsigned.statusCode()).isEqualTo(403);
            assertThat(unsigned.body()).contains("<Code>MissingAuthenticationToken</Code>");
            assertThat(gateway.clients().post(pod.form()).body()).contains("<Code>AccessDenied</Code>");
        }
    }

    @Test
    void malformedRequestsAreRefused() throws Exception {
        try (IssuingGateway gateway = start(true)) {
            assertThat(gateway.clients().post(pod.form()).statusCode()).isEqualTo(200);
            assertInvalid(gateway, "", "ValidationError");
            assertInvalid(gateway, "%zz=1", "ValidationError");
            assertInvalid(gateway, "Action=AssumeRoleWithSAML&Version=2011-06-15", "InvalidAction");
            assertInvalid(gateway, pod.form().replace("2011-06-15", "2010-01-01"), "InvalidAction");
            assertInvalid(gateway, pod.form() + "&Policy={}", "MalformedPolicyDocument");
            assertInvalid(gateway, pod.form() + "&Policy=" + "a".repeat(2049), "ValidationError");
            assertInvalid(gateway, pod.form() + "&PolicyArns.member.1.arn=a", "ValidationError");
            assertInvalid(gateway, pod.form() + "&RoleArn=again", "ValidationError");
            assertInvalid(gateway, pod.form() + "&DurationSeconds=899", "ValidationError");
            assertInvalid(gateway, pod.form() + "&DurationSeconds=3601", "ValidationError");
            assertInvalid(gateway, pod.form() + "&DurationSeconds=-1", "ValidationError");
            assertInvalid(gateway, "a".repeat(40_000), "ValidationError");
        }
    }

    @Test
    void identityAssumesARoleAndMayNarrowIt() throws Exception {
        String onlyKey = "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Action\":\"s3:*\","
                + "\"Resource\":\"arn:aws:s3:::data/key\"}]}";
        try (IssuingGateway gateway = start(true);
                StsClient sts = gateway.clients().adminSts();
                S3Client whole = gateway.clients().s3(assume(sts, "keeper", null, null));
                S3Client narrow = gateway.clients().s3(assume(sts, "keeper", onlyKey, 7200))) {
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
        try (IssuingGateway gateway = start(true);
                StsClient anonymous = gateway.clients().sts()) {
            AwsSessionCredentials narrow = limited(anonymous, onlyOther);
            try (StsClient sts = gateway.clients().sts(StaticCredentialsProvider.create(narrow));
                    S3Presigner presigner = gateway.clients().presigner(narrow)) {
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
        try (IssuingGateway gateway = start(true);
                StsClient anonymous = gateway.clients().sts();
                StsClient session = gateway.clients().sts(StaticCredentialsProvider.create(pod.assume(anonymous)));
                S3Client s3 = gateway.clients().s3(assume(session, "keeper", null, 3600))) {
            assertThat(content(s3, "other")).isEqualTo("secret");
            assertRefused(() -> assume(session, "keeper", null, 3601), "ValidationError");
            assertRefused(session::getSessionToken, "AccessDenied");
        }
    }

    @Test
    void sessionsEndWithTheIdentityTheyGoBackTo() throws Exception {
        try (IssuingGateway gateway = start(true);
                StsClient admin = gateway.clients().adminSts()) {
            AwsSessionCredentials session =
                    StsClients.session(admin.getSessionToken().credentials());
            try (StsClient same = gateway.clients().sts(StaticCredentialsProvider.create(session));
                    S3Client s3 = gateway.clients().s3(session);
                    S3Client chained = gateway.clients().s3(assume(same, "keeper", null, null))) {
                assertThat(same.getCallerIdentity().arn()).isEqualTo("arn:aws:iam::000000000000:user/admin");
                assertThat(content(s3, "other")).isEqualTo("secret");
                assertThat(content(chained, "other")).isEqualTo("secret");

                gateway.revoke(RevocationTarget.SESSIONS_OF, "admin");

                assertDenied(() -> content(s3, "other"));
                assertDenied(() -> content(chained, "other"));
                assertRefused(same::getCallerIdentity, "AccessDenied");
                assertThat(admin.getCallerIdentity().userId()).isEqualTo("admin");
            }
        }
    }

    private static void assertInvalid(IssuingGateway gateway, String body, String code) throws Exception {
        HttpResponse<String> response = gateway.clients().post(body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("<Code>" + code + "</Code>");
    }

    private AwsSessionCredentials limited(StsClient sts, String policy) throws Exception {
        String token = pod.text();
        return StsClients.session(sts.assumeRoleWithWebIdentity(request -> request.roleArn(StsClients.ROLE + "reader")
                        .roleSessionName("test")
                        .webIdentityToken(token)
                        .policy(policy))
                .credentials());
    }

    private IssuingGateway start(boolean plainHttp) throws Exception {
        return start(settings(plainHttp, ""));
    }

    private IssuingGateway start(String sts) throws Exception {
        return IssuingGateway.start(TestGateway.builder().cache(cache.get()), folder, sts);
    }

    /** @param more a role beside the two of all tests, in YAML */
    private String settings(boolean plainHttp, String more) {
        return """
                plain-http: %2$s
                issuers: [ { url: "%1$s", audience: millrace } ]
                roles:
                - { name: reader, issuer: "%1$s", subjects: [ "system:pod:train*" ], allow: [ "read:data/key" ] }
                - { name: keeper, assumed-by: [ user/admin, role/reader ], max-duration: 2h, allow: [ "read,list:data" ] }
                %3$s
                """.formatted(pod.issuer(), plainHttp, more.isEmpty() ? "" : "- " + more);
    }

    /** Asks without an upgrade to HTTP/2. */
    private static HttpResponse<String> get(String url) throws Exception {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
    }

    private static int status(URI uri) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                .statusCode();
    }
}
