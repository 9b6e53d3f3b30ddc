package io.millrace.gateway.sts;

import static io.millrace.gateway.sts.StsClients.assertFails;
import static io.millrace.gateway.sts.StsClients.assertRefused;
import static io.millrace.gateway.sts.StsClients.assume;
import static io.millrace.gateway.sts.StsClients.content;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.services.sts.model.InvalidIdentityTokenException;

/** Tests what the program does with temporary credentials: restarts, reloads, meters, the audit log. */
@Timeout(120)
class StsServeTest {
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
    void sessionSurvivesARestartButNotItsRole() throws Exception {
        AwsCredentials session;
        try (Gateway gateway = start(settings());
                StsClient sts = clients(gateway).sts();
                StsWebIdentityTokenFileCredentialsProvider credentials = pod.credentials(sts, "reader")) {
            session = credentials.resolveCredentials();
        }
        try (Gateway again = start(settings());
                S3Client s3 = clients(again).s3(session)) {
            assertThat(content(s3, "key")).isEqualTo("content");
        }
        try (Gateway without =
                        start(settings().replace("name: reader", "name: x").replace("role/reader", "role/x"));
                S3Client s3 = clients(without).s3(session)) {
            assertFails(() -> content(s3, "key"), "InvalidToken");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("data/session-keys"))))
                .isEqualTo("rw-------");
    }

    @Test
    void requestsAreCountedUnderTheirOperations() throws Exception {
        try (Gateway gateway = start(settings());
                StsClient sts = clients(gateway).adminSts()) {
            assertThat(sts.getCallerIdentity().userId()).isEqualTo("admin");
            pod.writeText("no.token.atall");
            assertThatThrownBy(() -> pod.assume(sts)).isInstanceOf(InvalidIdentityTokenException.class);
            assertThat(clients(gateway)
                            .post("/sts", "Action=DecodeAuthorizationMessage&Version=2011-06-15")
                            .statusCode())
                    .isEqualTo(400);

            Polling.until("all are counted", () -> {
                String metrics = metrics(gateway);
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
    void sessionsEndWithTheSecretTheyWereMadeWith() throws Exception {
        Path file = folder.resolve("millrace.yaml");
        Files.writeString(file, settings());
        SettingsSource source = () -> SettingsLoader.ofFile(file, MachineChecks.inThisProcess());
        AwsSessionCredentials own;
        AwsSessionCredentials keeper;
        AwsSessionCredentials ofPod;
        try (Gateway gateway = Gateway.start(source.load(), Optional.of(source));
                StsClient anonymous = clients(gateway).sts();
                StsClient admin = clients(gateway).adminSts()) {
            own = StsClients.session(admin.getSessionToken().credentials());
            keeper = assume(admin, "keeper", null, null);
            ofPod = pod.assume(anonymous);
            try (S3Client ownS3 = clients(gateway).s3(own);
                    S3Client keeperS3 = clients(gateway).s3(keeper);
                    S3Client podS3 = clients(gateway).s3(ofPod)) {
                assertThat(content(ownS3, "key")).isEqualTo("content");
                assertThat(content(keeperS3, "key")).isEqualTo("content");
                Files.writeString(file, settings().replace("ADMIN01-secret", "ADMIN01-replaced"));

                api(gateway, "settings/reload", "");

                assertFails(() -> content(ownS3, "key"), "ExpiredToken");
                assertFails(() -> content(keeperS3, "key"), "ExpiredToken");
                assertThat(content(podS3, "key")).isEqualTo("content");
            }
        }
        try (Gateway again = Gateway.start(source.load(), Optional.of(source));
                S3Client ownS3 = clients(again).s3(own);
                S3Client keeperS3 = clients(again).s3(keeper);
                S3Client podS3 = clients(again).s3(ofPod)) {
            assertFails(() -> content(ownS3, "key"), "ExpiredToken");
            assertFails(() -> content(keeperS3, "key"), "ExpiredToken");
            assertThat(content(podS3, "key")).isEqualTo("content");
        }
    }

    @Test
    void issuedAndRefusedCredentialsAreInTheAuditLogWithoutSecrets() throws Exception {
        AwsSessionCredentials issued;
        String token = pod.text();
        try (Gateway gateway = start(settings());
                StsClient anonymous = clients(gateway).sts();
                StsClient admin = clients(gateway).adminSts()) {
            issued = pod.assume(anonymous);
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

    @Test
    void policiesCompareTagsOfSessionsThatHaveThem() throws Exception {
        Files.writeString(folder.resolve("team.json"), """
                { "Version": "2012-10-17", "Statement": [ { "Effect": "Allow", "Action": "s3:GetObject",
                  "Resource": "arn:aws:s3:::data/key", "Condition": { "StringEquals": { "aws:PrincipalTag/team": "red" } } } ] }
                """);
        String policy = "policies: %s/team.json".formatted(folder);
        String ofRole = settings().replace("allow: [ \"read:data/key\" ]", policy);

        SettingsLoader.ofText(ofRole.replace("name: reader", "name: reader, session-tags: [ team ]"), Map.of());
        assertThatThrownBy(() -> SettingsLoader.ofText(ofRole, Map.of())).hasMessageContaining("aws:PrincipalTag/team");
        assertThatThrownBy(() -> SettingsLoader.ofText(settings().replace("allow: \"*\"", policy), Map.of()))
                .hasMessageContaining("identities do not");
    }

    private static StsClients clients(Gateway gateway) {
        return StsClients.at(gateway.s3Port());
    }

    private static Gateway start(String settings) throws Exception {
        return Gateway.start(SettingsLoader.ofText(settings, Map.of()));
    }

    private String settings() {
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
                  plain-http: true
                  issuers: [ { url: "%2$s", audience: millrace } ]
                  roles:
                  - { name: reader, issuer: "%2$s", subjects: [ "system:pod:train*" ], allow: [ "read:data/key" ] }
                  - { name: keeper, assumed-by: [ user/admin, role/reader ], max-duration: 2h, allow: [ "read,list:data" ] }
                """.formatted(folder, pod.issuer());
    }

    private static String metrics(Gateway gateway) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(gateway.consoleUrl() + "metrics"))
                                .build(),
                        BodyHandlers.ofString())
                .body();
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
}
