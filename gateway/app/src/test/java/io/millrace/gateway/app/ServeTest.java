package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordingServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the first start, the messages of a failed start, and the stop of the server. */
class ServeTest {
    /** Messages of Spring about a failed start, which must not appear. */
    private static final String[] NOISE = {"\tat ", "springframework", "ApplicationContext", "Exception"};

    /** Keeps the keys of whoever runs the test out of it. */
    private static final Map<String, String> NO_PROFILES =
            Map.of("AWS_SHARED_CREDENTIALS_FILE", "none", "AWS_CONFIG_FILE", "none");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final MillracePorts ports;

    ServeTest() throws IOException {
        ports = new MillracePorts();
    }

    @AfterEach
    void giveBackPorts() throws IOException {
        ports.close();
    }

    @Test
    void firstStartPrintsACommandForTheSample() throws Exception {
        try (MillraceProcess millrace =
                MillraceProcess.run(folder, ports.environment(), "serve").awaitHealth(ports.admin())) {
            assertThat(MillraceProcess.get(invitation(millrace))).startsWith("200 Hello from Millrace");
            assertThat(millrace.output()).contains("console     http://127.0.0.1:" + ports.admin() + "/");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("data/credentials"))))
                    .isEqualTo("rw-------");
            awaitMeter("millrace_s3_request_seconds_count{operation=\"GetObject\",outcome=\"ok\"} 1");
            checkToken(millrace);
        }
    }

    /** The command in the server's folder signs with the key that the start generated. */
    private void checkToken(MillraceProcess millrace) throws Exception {
        try (MillraceProcess token = MillraceProcess.run(folder, NO_PROFILES, "token")) {
            assertThat(token.exitCode()).isZero();
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + ports.admin() + "/api/v1/status"))
                    .header("Authorization", "Bearer " + token.output().strip())
                    .build();
            assertThat(ApiServer.send(request).status()).isEqualTo(200);
            assertThat(millrace.output()).doesNotContain(token.output().strip());
        }
    }

    /** A request is counted when its response has been sent, so its client may be earlier. */
    private void awaitMeter(String line) throws Exception {
        String metrics = "http://127.0.0.1:" + ports.admin() + "/metrics";
        Polling.until(line, () -> MillraceProcess.get(metrics).contains(line));
    }

    @Tag("slow")
    @Test
    void laterStartKeepsKeysAndSampleBucket() throws Exception {
        Path listingKey = folder.resolve("data/listing-key");
        String link;
        String firstListingKey;
        try (MillraceProcess first =
                MillraceProcess.run(folder, ports.environment(), "serve").awaitHealth(ports.admin())) {
            link = invitation(first);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(listingKey)))
                    .isEqualTo("rw-------");
            firstListingKey = Files.readString(listingKey);
            first.terminate();
            first.exitCode();
        }
        Files.writeString(folder.resolve("data/objects/demo/hello.txt"), "mine now");

        try (MillraceProcess second =
                MillraceProcess.run(folder, ports.environment(), "serve").awaitHealth(ports.admin())) {
            assertThat(MillraceProcess.get(link)).isEqualTo("200 mine now");
            assertThat(Files.readString(listingKey)).isEqualTo(firstListingKey);
        }
    }

    /** The test has the lock, as a running server has it: that would write to its folder itself. */
    @Test
    void startInAFolderThatAnotherHoldsIsRefusedAndChangesNothingThere() throws Exception {
        try (MillraceProcess first =
                MillraceProcess.run(folder, ports.environment(), "serve").awaitHealth(ports.admin())) {
            first.terminate();
            first.exitCode();
        }
        Path data = folder.resolve("data");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
                .isEqualTo("rwx------");
        Path settings = Files.writeString(folder.resolve("millrace.yaml"), """
                data: ./data
                s3: { port: 0 }
                admin: { port: 0 }
                cache: { disks: [ { path: ./another-cache, size: 64MiB } ] }
                backends: { local: { type: file, path: ./objects } }
                buckets: [ { name: "*", backend: local } ]
                identities: [ { name: admin, access-key: admin, secret-key: secret-key, allow: "*" } ]
                """);
        try (FileChannel file = FileChannel.open(data.resolve("lock"), StandardOpenOption.WRITE);
                FileLock held = file.lock()) {
            assertThat(held.isValid()).isTrue();
            Map<String, String> before = contents(data);

            refuses("serve");
            refuses("serve", "--self-signed");
            refuses("serve", "--self-signed", "--config", settings.toString());
            refuses("serve", "--config", settings.toString());
            try (MillraceProcess check =
                    MillraceProcess.run(folder, Map.of(), "config", "check", "--config", settings.toString())) {
                assertThat(check.exitCode()).isZero();
            }

            assertThat(contents(data)).isEqualTo(before);
            assertThat(folder.resolve("another-cache")).doesNotExist();
        }
    }

    private void refuses(String... arguments) throws Exception {
        try (MillraceProcess second = MillraceProcess.run(folder, ports.environment(), arguments)) {
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.output())
                    .contains("is in use by another Millrace", "MILLRACE_DATA")
                    .doesNotContain(NOISE);
        }
    }

    /** Returns the bytes and times of all that is in a folder. */
    private static Map<String, String> contents(Path folder) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.toList()) {
                // Who closes a file that it has locked gives up the lock.
                boolean isRead = Files.isRegularFile(each) && !each.endsWith("lock");
                int bytes = !isRead ? 0 : Arrays.hashCode(Files.readAllBytes(each));
                contents.put(each.toString(), Files.getLastModifiedTime(each) + " " + bytes);
            }
        }
        return contents;
    }

    /** The file is the argument, as {@code config check} takes it. */
    @Test
    void everyProblemOfAFileIsReportedAtOnce() throws Exception {
        Path file = Files.writeString(folder.resolve("millrace.yaml"), """
                s3: { prot: 9080 }
                backends: { local: { type: file, path: ./objects }, far: { type: tape } }
                buckets: [ { name: demo, backend: lokal } ]
                identities: []
                """);

        try (MillraceProcess millrace = MillraceProcess.run(folder, Map.of(), "serve", file.toString())) {
            assertThat(millrace.exitCode()).isEqualTo(1);
            assertThat(millrace.output())
                    .contains("s3.prot", "port", "lokal", "local", "tape", "identities", "remedy")
                    .doesNotContain("Exception", "\tat ");
        }
    }

    @Test
    void aPortInUseIsNamedWithItsRemedy() throws Exception {
        try (ServerSocket taken = new ServerSocket(ports.s3(), 1, InetAddress.getLoopbackAddress());
                MillraceProcess millrace = MillraceProcess.run(folder, ports.environment(), "serve")) {
            assertThat(millrace.exitCode()).isEqualTo(1);
            assertThat(millrace.output())
                    .contains(
                            "s3: cannot listen on 127.0.0.1:%d: the address is already in use."
                                    .formatted(taken.getLocalPort()),
                            "stop the program that uses it",
                            "s3.port",
                            "MILLRACE_S3_PORT")
                    .doesNotContain("error(", "bind(")
                    .doesNotContain(NOISE);
        }
    }

    @Tag("slow")
    @Test
    void occupiedControlPortIsReportedWithARemedy() throws Exception {
        try (ServerSocket taken = new ServerSocket(ports.admin(), 1, InetAddress.getLoopbackAddress());
                MillraceProcess millrace = MillraceProcess.run(folder, ports.environment(), "serve")) {
            assertThat(millrace.exitCode()).isEqualTo(1);
            assertThat(millrace.output())
                    .contains(
                            "admin: cannot listen on 127.0.0.1:%d: the address is already in use."
                                    .formatted(taken.getLocalPort()),
                            "stop the program that uses it",
                            "admin.port",
                            "MILLRACE_ADMIN_PORT")
                    .doesNotContain("error(", "bind(")
                    .doesNotContain(NOISE);
        }
    }

    @Tag("slow")
    @Test
    void aDataFolderThatCannotBeMadeIsNamed() throws Exception {
        Files.writeString(folder.resolve("occupied"), "a file");

        try (MillraceProcess millrace = MillraceProcess.run(
                folder, Map.of("MILLRACE_DATA", folder.resolve("occupied/data").toString()), "serve")) {
            assertThat(millrace.exitCode()).isEqualTo(1);
            assertThat(millrace.output())
                    .contains("occupied/data", "MILLRACE_DATA")
                    .doesNotContain(NOISE);
        }
    }

    @Tag("slow")
    @Test
    void namesACacheThatCannotBeOpened() throws Exception {
        Files.writeString(Files.createDirectory(folder.resolve("cache")).resolve("letter"), "not a segment");
        Path file = Files.writeString(folder.resolve("millrace.yaml"), """
                cache: { disks: [ { path: ./cache, size: 1GiB } ] }
                backends: { local: { type: file, path: ./objects } }
                buckets: [ { name: "*", backend: local } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """);

        try (MillraceProcess millrace =
                MillraceProcess.run(folder, ports.environment(), "serve", "--config", file.toString())) {
            assertThat(millrace.exitCode()).isEqualTo(1);
            assertThat(millrace.output())
                    .startsWith("millrace: 1 problem in the settings:")
                    .contains("cache.disks[0].path", folder.resolve("cache").toString(), "give it a folder of its own")
                    .doesNotContain(NOISE);
        }
    }

    @Tag("slow")
    @Test
    void unreachableBackendIsReportedAndReturns503() throws Exception {
        ReservedPort nobody = new ReservedPort();
        Path file = Files.writeString(folder.resolve("millrace.yaml"), """
                data: ./data
                backends: { far: { type: s3, endpoint: "http://127.0.0.1:%d", path-style: true, access-key: a, secret-key: b } }
                buckets: [ { name: pub, backend: far, anonymous: read } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """.formatted(nobody.number()));

        try (nobody;
                MillraceProcess millrace = MillraceProcess.run(
                                folder, ports.environment(), "serve", "--config", file.toString())
                        .awaitHealth(ports.admin())) {
            assertThat(MillraceProcess.get("http://127.0.0.1:" + ports.s3() + "/pub/x"))
                    .startsWith("503")
                    .contains("<Code>ServiceUnavailable</Code>");
            await().pollInterval(Duration.ofMillis(50))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> millrace.output().contains("Backend 'far'"));
            assertThat(millrace.output())
                    .contains("WARN", "Backend 'far'", "127.0.0.1:" + nobody.number())
                    .doesNotContain("millrace status shows");
        }
    }

    /** A client that reads AccessDenied, or that its object is missing, looks for the fault where it is not. */
    @Test
    void rejectedGatewayKeyIsReportedAndWarnedOfOnce() throws Exception {
        RecordingServer backend = new RecordingServer(request ->
                PlannedResponse.text(403, "<Error><Code>InvalidAccessKeyId</Code><Message>unknown</Message></Error>"));
        Path file = Files.writeString(folder.resolve("millrace.yaml"), """
                data: ./data
                backends: { far: { type: s3, endpoint: "%s", path-style: true, access-key: a, secret-key: b } }
                buckets: [ { name: pub, backend: far, bucket: real-name, anonymous: "read,list" } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """.formatted(backend.uri()));

        try (MillraceProcess millrace = MillraceProcess.run(
                        folder, ports.environment(), "serve", "--config", file.toString())
                .awaitHealth(ports.admin())) {
            for (String path : List.of("/pub/x", "/pub?list-type=2", "/pub/x", "/pub/y", "/pub/z")) {
                assertThat(MillraceProcess.get("http://127.0.0.1:" + ports.s3() + path))
                        .startsWith("502")
                        .contains("<Code>BadGateway</Code>", "the gateway's credentials")
                        .doesNotContain("far", "real-name", "InvalidAccessKeyId");
            }
            HttpURLConnection head = (HttpURLConnection) URI.create("http://127.0.0.1:" + ports.s3() + "/pub/x")
                    .toURL()
                    .openConnection();
            head.setRequestMethod("HEAD");
            assertThat(head.getResponseCode()).isEqualTo(502);
            assertThat(millrace.output().lines().filter(line -> line.contains("WARN") && line.contains("'far'")))
                    .singleElement(as(InstanceOfAssertFactories.STRING))
                    .contains("credentials rejected", "InvalidAccessKeyId", "access-key");
        } finally {
            backend.close();
        }
    }

    /** As the key of least rights has it, where only a pattern names buckets. */
    @Test
    void refusalToListBucketsIsLoggedOnceAtTheStart() throws Exception {
        RecordingServer backend =
                new RecordingServer(request -> PlannedResponse.text(403, "<Error><Code>AccessDenied</Code></Error>"));
        Path file = Files.writeString(folder.resolve("millrace.yaml"), """
                data: ./data
                backends: { far: { type: s3, endpoint: "%s", path-style: true, access-key: a, secret-key: b } }
                buckets: [ { name: "*", backend: far } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """.formatted(backend.uri()));

        try (backend;
                MillraceProcess millrace = MillraceProcess.run(
                                folder, ports.environment(), "serve", "--config", file.toString())
                        .awaitHealth(ports.admin())) {
            await().pollInterval(Duration.ofMillis(50))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> millrace.output().contains("Backend 'far'"));
            assertThat(MillraceProcess.get("http://127.0.0.1:" + ports.admin() + "/health"))
                    .startsWith("200");
            assertThat(millrace.output().lines().filter(line -> line.contains("Backend 'far'")))
                    .singleElement(as(InstanceOfAssertFactories.STRING))
                    .contains("WARN", "access denied", "readable all the same");
        }
    }

    @Test
    void requestsUnderWayFinishBeforeTheEnd() throws Exception {
        byte[] large = new byte[32 * 1024 * 1024];
        Path bucket = Files.createDirectories(folder.resolve("objects/pub"));
        Files.write(bucket.resolve("large"), large);
        Path file = Files.writeString(folder.resolve("millrace.yaml"), """
                backends: { local: { type: file, path: ./objects } }
                buckets: [ { name: pub, backend: local, anonymous: read } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """);

        try (MillraceProcess millrace = MillraceProcess.run(
                        folder, ports.environment(), "serve", "--config", file.toString())
                .awaitHealth(ports.admin())) {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create("http://127.0.0.1:" + ports.s3() + "/pub/large")
                            .toURL()
                            .openConnection();
            try (InputStream body = connection.getInputStream()) {
                int first = body.readNBytes(1024).length;
                millrace.terminate();
                Polling.until("it stops", () -> millrace.output().contains("Stopping: waiting for requests"));
                assertThat(first + body.readAllBytes().length).isEqualTo(large.length);
            }
            assertThat(millrace.exitCode()).isEqualTo(143);
            assertThat(millrace.output()).contains("Stopped");
        }
    }

    /** A service manager starts again what has ended; what hangs it leaves alone. */
    @Test
    void deadEventLoopEndsTheProcess() throws Exception {
        try (MillraceProcess millrace =
                MillraceProcess.runBy(DyingMillrace.class, folder, ports.environment(), "serve")) {
            assertThat(millrace.exitCode()).isEqualTo(70);
            assertThat(millrace.output())
                    .contains("An event loop of the connections to backends has died", "StackOverflowError: of a test");
        }
    }

    @Test
    void errorOnAnotherThreadEndsTheProcess() throws Exception {
        Map<String, String> environment = new HashMap<>(ports.environment());
        environment.put(DyingMillrace.THREAD, "lone");
        try (MillraceProcess millrace = MillraceProcess.runBy(DyingMillrace.class, folder, environment, "serve")) {
            assertThat(millrace.exitCode()).isEqualTo(70);
            assertThat(millrace.output()).contains("Thread lone has died of an error", "StackOverflowError: of a test");
        }
    }

    @Tag("slow")
    @Test
    void readyReportsStoppingDuringTheDrain() throws Exception {
        Map<String, String> environment = new HashMap<>(ports.environment());
        environment.put("MILLRACE_S3_SHUTDOWN_DELAY", "4s");
        String ready = "http://127.0.0.1:" + ports.admin() + "/ready";
        String health = "http://127.0.0.1:" + ports.admin() + "/health";
        String live = "http://127.0.0.1:" + ports.admin() + "/live";
        try (MillraceProcess millrace =
                MillraceProcess.run(folder, environment, "serve").awaitHealth(ports.admin())) {
            String link = invitation(millrace);
            assertThat(MillraceProcess.get(ready)).startsWith("200").contains("ready");
            millrace.terminate();
            Polling.until("it stops", () -> !MillraceProcess.get(ready).startsWith("200"));

            assertThat(MillraceProcess.get(ready)).startsWith("503").contains("stopping");
            assertThat(MillraceProcess.get(health)).startsWith("200").contains("up");
            assertThat(MillraceProcess.get(live)).startsWith("200").contains("live");
            assertThat(MillraceProcess.get(link)).startsWith("200 Hello from Millrace");
            assertThat(millrace.exitCode()).isEqualTo(143);
        }
    }

    @Tag("slow")
    @Test
    void tokenTakesKeysAndAtMostTwelveHours() throws Exception {
        Map<String, String> environment = Map.of("AWS_ACCESS_KEY_ID", "K", "AWS_SECRET_ACCESS_KEY", "S");
        try (MillraceProcess none = MillraceProcess.run(folder, NO_PROFILES, "token");
                MillraceProcess named = MillraceProcess.run(folder, environment, "token", "--hours", "1");
                MillraceProcess tooLong = MillraceProcess.run(folder, environment, "token", "--hours", "13")) {
            assertThat(none.exitCode()).isEqualTo(3);
            assertThat(none.output()).contains("AWS_ACCESS_KEY_ID");
            assertThat(named.exitCode()).isZero();
            assertThat(named.output().strip()).matches("[A-Za-z0-9_.-]+");
            assertThat(tooLong.exitCode()).isEqualTo(2);
        }
    }

    @Tag("slow")
    @Test
    void commandLineChecksSettingsAndPrintsTheVersion() throws Exception {
        Path file = Files.writeString(folder.resolve("millrace.yaml"), """
                cache: { disks: [ { path: ./cache, size: 20GiB } ] }
                backends: { local: { type: file, path: ./objects } }
                buckets: [ { name: "*", backend: local, freshness: { mode: immutable } } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """);

        try (MillraceProcess check =
                        MillraceProcess.run(folder, Map.of(), "config", "check", "--config", file.toString());
                MillraceProcess version = MillraceProcess.run(folder, Map.of(), "version");
                MillraceProcess option = MillraceProcess.run(folder, Map.of(), "--version");
                MillraceProcess nothing = MillraceProcess.run(folder, Map.of())) {
            assertThat(check.exitCode()).isZero();
            assertThat(check.output()).contains("the file has no problems (backends: 1, buckets: 1, identities: 1");
            assertThat(version.exitCode()).isZero();
            assertThat(version.output()).startsWith("millrace ");
            assertThat(option.exitCode()).isZero();
            assertThat(option.output()).isEqualTo(version.output());
            assertThat(nothing.exitCode()).isEqualTo(2);
            assertThat(nothing.output()).contains("serve", "config", "token", "version", "help");
        }
    }

    private static String invitation(MillraceProcess millrace) throws IOException, InterruptedException {
        Pattern curl = Pattern.compile("curl -i '([^']+)'");
        Polling.until("an invitation", () -> curl.matcher(millrace.output()).find());
        Matcher invitation = curl.matcher(millrace.output());
        assertThat(invitation.find()).isTrue();
        return invitation.group(1);
    }
}
