package io.millrace.gateway.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.testkit.RawClient;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests each kind of change that a reload of the settings file applies, over open connections, and files that are
 * refused.
 */
class ReloadTest {
    private static final String FAR = "far: { type: file, path: %s/far }";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private ReloadFixture millrace;

    @BeforeEach
    void start() throws Exception {
        millrace = new ReloadFixture(folder);
    }

    @AfterEach
    void stop() {
        millrace.close();
    }

    @Test
    void aRevokedKeyIsRefusedOnItsOpenConnectionAndInItsUrls() throws Exception {
        URI url = ReloadFixture.signer(ReloadFixture.ALICE)
                .presign(
                        URI.create("http://127.0.0.1:" + millrace.s3Port() + "/data/key"),
                        "GET",
                        Duration.ofHours(1),
                        Instant.now());
        try (RawClient connection = millrace.connect()) {
            assertThat(millrace.get(connection, ReloadFixture.ALICE, "/data/key")
                            .status())
                    .isEqualTo(200);
            assertThat(MillraceProcess.get(url.toString())).isEqualTo("200 near");
            millrace.write(ReloadFixture.NEAR, ReloadFixture.DATA, "", "");

            assertThat(millrace.reload().text()).contains("\"path\":\"identities[alice]\",\"kind\":\"removed\"");

            assertThat(millrace.get(connection, ReloadFixture.ALICE, "/data/key")
                            .element("Code"))
                    .isEqualTo("InvalidAccessKeyId");
            assertThat(MillraceProcess.get(url.toString())).startsWith("403 ");
            assertThat(millrace.get(connection, ReloadFixture.ADMIN, "/data/key")
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aRotatedSecretReplacesTheOldOneAndIsNotShown() throws Exception {
        assertThat(millrace.get(ReloadFixture.ALICE, "/data/key").status()).isEqualTo(200);
        millrace.replaceInFile("secret-key: ALICE01-secret", "secret-key: ROTATED");

        ApiServer.Response changes = millrace.changes();
        assertThat(changes.text())
                .contains("\"path\":\"identities[alice].secret-key\",\"kind\":\"changed\"")
                .doesNotContain("ROTATED", "ALICE01-secret");
        assertThat(millrace.get(ReloadFixture.ALICE, "/data/key").status()).isEqualTo(200);

        assertThat(millrace.reload().status()).isEqualTo(200);
        assertThat(millrace.get(ReloadFixture.ALICE, "/data/key").element("Code"))
                .isEqualTo("SignatureDoesNotMatch");
        assertThat(millrace.changes().json().path("changes").isEmpty()).isTrue();
    }

    @Test
    void aDerivedBucketComesAndGoes() throws Exception {
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(archive)) {
            ZipEntry entry = new ZipEntry("one");
            entry.setMethod(ZipEntry.STORED);
            entry.setSize(0);
            entry.setCrc(0);
            zip.putNextEntry(entry);
        }
        Files.write(folder.resolve("near/data/a.zip"), archive.toByteArray());
        String derived = "{ name: samples, derived: { from: data, members: \"*.zip\" } }";
        assertThat(millrace.get(ReloadFixture.ALICE, "/samples/a.zip/one").status())
                .isEqualTo(404);

        millrace.write(ReloadFixture.NEAR, ReloadFixture.DATA + ", " + derived, ReloadFixture.ALICE_SETTINGS, "");
        assertThat(millrace.reload().text()).contains("\"path\":\"buckets[samples]\",\"kind\":\"added\"");
        assertThat(millrace.get(ReloadFixture.ALICE, "/samples/a.zip/one").status())
                .isEqualTo(200);

        millrace.write(ReloadFixture.NEAR, ReloadFixture.DATA, ReloadFixture.ALICE_SETTINGS, "");
        assertThat(millrace.reload().status()).isEqualTo(200);
        assertThat(millrace.get(ReloadFixture.ALICE, "/samples/a.zip/one").element("Code"))
                .isEqualTo("NoSuchBucket");
    }

    @Test
    void changedRightsApplyToTheNextRequest() throws Exception {
        try (RawClient connection = millrace.connect()) {
            assertThat(millrace.get(connection, ReloadFixture.ALICE, "/data/key")
                            .status())
                    .isEqualTo(200);
            millrace.replaceInFile("read,list,write:*", "read:data/other/*");

            assertThat(millrace.reload().status()).isEqualTo(200);

            assertThat(millrace.get(connection, ReloadFixture.ALICE, "/data/key")
                            .element("Code"))
                    .isEqualTo("AccessDenied");
        }
    }

    @Test
    void aChangedPolicyFileIsReadAgain() throws Exception {
        String statement = """
                { "Version": "2012-10-17", "Statement": [ { "Effect": "Allow", "Action": "s3:GetObject",
                  "Resource": "arn:aws:s3:::%s/${aws:username}/*",
                  "Condition": { "IpAddress": { "aws:SourceIp": "127.0.0.0/8" } } } ] }
                """;
        millrace.store("near/data/alice/key", "own");
        millrace.store("policy.json", statement.formatted("data"));
        millrace.replaceInFile("allow: \"read,list,write:*\"", "policies: policy.json");
        assertThat(millrace.reload().status()).isEqualTo(200);
        assertThat(millrace.get(ReloadFixture.ALICE, "/data/alice/key").body()).isEqualTo("own");
        assertThat(millrace.get(ReloadFixture.ALICE, "/data/key").status()).isEqualTo(403);
        assertThat(millrace.changes().json().path("changes").isEmpty()).isTrue();

        millrace.store("policy.json", statement.formatted("others"));
        assertThat(millrace.reload().json().path("changes").get(0).toString())
                .contains("identities[alice].policies", "changed", "\"needsRestart\":false");
        assertThat(millrace.get(ReloadFixture.ALICE, "/data/alice/key").status())
                .isEqualTo(403);
    }

    @Test
    void anUploadUnderWayEndsWithTheSettingsItBeganWith() throws Exception {
        String head = millrace.client(ReloadFixture.ALICE)
                .request("PUT", "/data/uploaded", Map.of("content-length", "100000"));
        try (RawClient connection = millrace.connect()) {
            OutputStream out = connection.socket().getOutputStream();
            out.write((head + "x".repeat(50_000)).getBytes(UTF_8));
            Polling.until(
                    "the upload", () -> millrace.meter("millrace_s3_in_flight").equals("1.0"));
            millrace.write(FAR, "{ name: data, backend: far }", "", "");

            assertThat(millrace.reload().status()).isEqualTo(200);

            assertThat(connection.send("x".repeat(50_000)).status()).isEqualTo(200);
            assertThat(folder.resolve("near/data/uploaded")).hasSize(100_000);
            assertThat(millrace.get(connection, ReloadFixture.ALICE, "/data/uploaded")
                            .element("Code"))
                    .isEqualTo("InvalidAccessKeyId");
        }
    }

    @Test
    void bucketsAndBackendsComeAndGo() throws Exception {
        assertThat(millrace.get(ReloadFixture.ADMIN, "/more/key").element("Code"))
                .isEqualTo("NoSuchBucket");
        millrace.write(FAR, "{ name: more, backend: far, bucket: data }", ReloadFixture.ALICE_SETTINGS, "");

        assertThat(millrace.reload().text())
                .contains(
                        "\"path\":\"backends.far\",\"kind\":\"added\"",
                        "\"path\":\"buckets[more]\",\"kind\":\"added\"");

        assertThat(millrace.get(ReloadFixture.ADMIN, "/more/key").body()).isEqualTo("far");
        assertThat(millrace.meter("millrace_backend_down{backend=\"far\"}")).isEqualTo("0.0");
        assertThat(millrace.meter("millrace_backend_down{backend=\"near\"}")).isEmpty();
        assertThat(millrace.get(ReloadFixture.ADMIN, "/data/key").element("Code"))
                .isEqualTo("NoSuchBucket");
        assertThat(millrace.api(ReloadFixture.ADMIN, "GET", "/buckets", "").text())
                .contains("\"more\"")
                .doesNotContain("\"data\",");
        assertThat(millrace.api(ReloadFixture.ADMIN, "GET", "/backends", "").text())
                .contains("\"far\"");
    }

    @Test
    void aChangedBackendServesTheNextRequest() throws Exception {
        millrace.replaceInFile("mode: immutable", "mode: strict");
        assertThat(millrace.reload().status()).isEqualTo(200);
        assertThat(millrace.get(ReloadFixture.ADMIN, "/data/key").body()).isEqualTo("near");
        millrace.replaceInFile("/near }", "/far }");

        assertThat(millrace.reload().text()).contains("backends.near.path");

        assertThat(millrace.get(ReloadFixture.ADMIN, "/data/key").body()).isEqualTo("far");
        assertThat(millrace.meter("millrace_backend_down{backend=\"near\"}")).isEqualTo("0.0");
    }

    @Test
    void changedFreshnessAppliesToTheNextRequest() throws Exception {
        assertThat(millrace.get(ReloadFixture.ADMIN, "/data/key").body()).isEqualTo("near");
        millrace.store("near/data/key", "changed there");
        assertThat(millrace.get(ReloadFixture.ADMIN, "/data/key").body()).isEqualTo("near");
        millrace.replaceInFile("mode: immutable", "mode: strict");

        assertThat(millrace.reload().json().path("changes").get(0).toString())
                .isEqualTo("{\"path\":\"buckets[data].freshness.mode\",\"kind\":\"changed\",\"before\":\"immutable\","
                        + "\"after\":\"strict\",\"needsRestart\":false}");

        assertThat(millrace.get(ReloadFixture.ADMIN, "/data/key").body()).isEqualTo("changed there");
    }

    @Test
    void anInvalidFileChangesNothingAndIsExplained() throws Exception {
        millrace.write(ReloadFixture.NEAR, "{ name: data, backend: nowhere }", "", "");
        String problem = folder.resolve("millrace.yaml") + ":6";

        assertThat(millrace.changes().json().path("problems").get(0).asString())
                .startsWith(problem + "  buckets[0].backend: nowhere\n   problem: is not a backend of this file\n");
        ApiServer.Response refused = millrace.reload();

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.field("detail")).contains(problem, "is not a backend of this file", "near");
        assertThat(millrace.get(ReloadFixture.ALICE, "/data/key").body()).isEqualTo("near");
        assertThat(millrace.meter("millrace_settings_reloads_total{outcome=\"refused\"}"))
                .isEqualTo("1.0");
        assertThat(millrace.meter("millrace_settings_reloads_total{outcome=\"applied\"}"))
                .isEqualTo("0.0");
    }

    @Test
    void settingsThatNeedARestartWaitWhileTheOthersApply() throws Exception {
        String before =
                millrace.api(ReloadFixture.ADMIN, "GET", "/settings", "").text();
        millrace.write(
                ReloadFixture.NEAR,
                "{ name: data, backend: near, quota: 25%, freshness: { mode: strict } }, { name: new, backend: near,"
                        + " quota: 128MiB }",
                ReloadFixture.ALICE_SETTINGS,
                "jobs: { max-running: 3 }\n");
        millrace.replaceInFile("fill-memory: 64MiB", "fill-memory: 32MiB");

        String[] pending = {"cache.fill-memory", "jobs.max-running", "buckets[data].quota", "buckets[new].quota"};
        assertThat(millrace.reload().json().path("changes").valueStream())
                .filteredOn(change -> change.path("needsRestart").asBoolean())
                .extracting(change -> change.path("path").asString())
                .containsExactlyInAnyOrder(pending);

        assertThat(millrace.meter("millrace_settings_pending")).isEqualTo("4.0");
        assertThat(millrace.changes().json().path("changes").valueStream())
                .extracting(change -> change.path("path").asString())
                .containsExactlyInAnyOrder(pending);
        assertThat(millrace.api(ReloadFixture.ADMIN, "GET", "/settings", "").text())
                .contains("\"strict\"", "\"64MiB\"")
                .isNotEqualTo(before);
    }

    @Test
    void aScratchBucketTakesARestart() throws Exception {
        for (String name : new String[] {"data", "kv-blocks"}) {
            millrace.write(
                    ReloadFixture.NEAR,
                    "{ name: %s, scratch: { ttl: 1h }, quota: 128MiB }, { name: other, backend: near }".formatted(name),
                    ReloadFixture.ALICE_SETTINGS,
                    "");

            ApiServer.Response refused = millrace.reload();

            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.field("detail")).contains("restart");
        }
        assertThat(millrace.get(ReloadFixture.ALICE, "/data/key").body()).isEqualTo("near");
    }

    @Test
    void aRefusedFileDoesNotChangeTheRotationOfKeys() throws Exception {
        Path keys = folder.resolve("state/session-keys");
        String old =
                "11".repeat(32) + ' ' + Instant.now().minus(Duration.ofDays(20)).truncatedTo(ChronoUnit.SECONDS);
        Files.writeString(keys, old + '\n');
        millrace.write(
                "near: { type: file, path: %s/near/data/key }",
                ReloadFixture.DATA, ReloadFixture.ALICE_SETTINGS, "sts: { key-rotation: 10d }\n");

        assertThat(millrace.reload().status()).isEqualTo(409);
        millrace.sessionKeys().refresh();
        assertThat(Files.readAllLines(keys)).containsExactly(old);

        millrace.replaceInFile("/near/data/key }", "/near }");
        assertThat(millrace.reload().status()).isEqualTo(200);
        millrace.sessionKeys().refresh();
        assertThat(Files.readAllLines(keys)).hasSize(2).contains(old);
    }

    @Test
    void onlyOperatorsReload() throws Exception {
        assertThat(millrace.api(ReloadFixture.ALICE, "POST", "/settings/reload", "")
                        .status())
                .isEqualTo(403);
        assertThat(millrace.api(ReloadFixture.ALICE, "GET", "/settings/changes", "")
                        .status())
                .isEqualTo(403);
    }

    @Test
    void aSignalReloads() throws Exception {
        millrace.write(ReloadFixture.NEAR, ReloadFixture.DATA, "", "");
        millrace.hangup();

        Polling.until(
                "the reload",
                () -> millrace.get(ReloadFixture.ALICE, "/data/key").status() == 403);
    }

    @Test
    void aJobOfARemovedIdentityEnds() throws Exception {
        for (int i = 0; i < 50; i++) {
            millrace.store("near/data/o-" + i, "content " + i);
        }
        String id = prefetch(1);
        Polling.until("the job works", () -> jobState(id).equals("running"));
        millrace.write(ReloadFixture.NEAR, ReloadFixture.DATA, "", "");

        assertThat(millrace.reload().status()).isEqualTo(200);

        Polling.until("the job ends", () -> jobState(id).equals("failed"));
        assertThat(millrace.api(ReloadFixture.ADMIN, "GET", "/jobs/" + id, "").field("message"))
                .contains("identity 'alice', which owns this job, is no longer in the settings file");
    }

    @Test
    void aJobContinuesWithTheChangedBucket() throws Exception {
        for (int i = 0; i < 50; i++) {
            millrace.store("near/data/o-" + i, "content " + i);
        }
        // Those that are left there are few: the job is slow, so that it works still when the settings change.
        millrace.store("far/data/z-1", "content");
        millrace.store("far/data/z-2", "content");
        String id = prefetch(1);
        Polling.until("the job works", () -> jobState(id).equals("running"));
        millrace.write(FAR, "{ name: data, backend: far }", ReloadFixture.ALICE_SETTINGS, "");

        assertThat(millrace.reload().status()).isEqualTo(200);

        Polling.within(Duration.ofSeconds(60))
                .until(() -> jobState(id).startsWith("done") || jobState(id).equals("failed"));
        assertThat(jobState(id)).isEqualTo("done");
        assertThat(millrace.meter(
                        "millrace_backend_call_seconds_count{backend=\"far\",operation=\"open\",outcome=\"ok\"}"))
                .isNotEmpty();
    }

    private String prefetch(int requestsPerSecond) throws Exception {
        ApiServer.Response submitted = millrace.api(
                ReloadFixture.ALICE,
                "POST",
                "/jobs",
                "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"},\"workers\":1,\"requestsPerSecond\":%d}"
                        .formatted(requestsPerSecond));
        assertThat(submitted.status()).as(submitted.text()).isEqualTo(201);
        return submitted.field("id");
    }

    private String jobState(String id) throws Exception {
        return millrace.api(ReloadFixture.ADMIN, "GET", "/jobs/" + id, "").field("state");
    }
}
