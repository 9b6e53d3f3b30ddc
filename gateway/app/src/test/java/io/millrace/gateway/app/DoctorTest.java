package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import io.millrace.backend.testkit.server.ScriptedHub;
import io.millrace.gateway.app.command.MillraceApplication;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that {@code millrace doctor} names what is wrong with the machine and the backends, and what to do; the backend
 * is a gateway.
 */
class DoctorTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static ApiServer server;

    private static final String PORTS = """
            s3: { port: %d }
            admin: { port: %d }
            data: ./%s
            backends: { near: { type: file, path: "%s/near" } }
            buckets: [ { name: "*", backend: near } ]
            identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
            """;

    private final StringWriter printed = new StringWriter();

    @BeforeAll
    static void start() throws Exception {
        server = ApiServer.start(
                folder,
                "{ name: data, backend: local }, { name: other, backend: local }",
                "- { name: part, access-key: PART001, secret-key: PART001-secret, allow: \"read,list:data/o-1*\" }");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void findsNoFaultWithABackendThatAgrees() throws Exception {
        assertThat(examine(endpoint(), "ALICE01", "ALICE01-secret", "data")).isZero();
        assertThat(printed.toString())
                .contains(
                        "ok       backend far: answers, and takes the credentials",
                        "ok       clock: as that of backend far",
                        "problems: 0");
    }

    /** Any web server answers a HEAD, and most have a 404 and a 403. */
    @ParameterizedTest
    @CsvSource({"404, nothing here", "403, go away"})
    void webServerIsNoStoreThatTakesCredentials(int status, String words) throws Exception {
        HttpServer web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.createContext("/", exchange -> {
            byte[] body = words.getBytes(StandardCharsets.UTF_8);
            boolean isHead = exchange.getRequestMethod().equals("HEAD");
            exchange.getResponseHeaders().set("Content-Type", "text/plain");
            exchange.sendResponseHeaders(status, isHead ? -1 : body.length);
            if (!isHead) {
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        });
        web.start();
        try {
            String endpoint = "http://127.0.0.1:" + web.getAddress().getPort();
            assertThat(examine(endpoint, "A", "secret", "data")).isEqualTo(1);
        } finally {
            web.stop(0);
        }
        assertThat(printed.toString())
                .contains("problem  backend far: fails", "no S3 server", status + ", text/plain", words, "problems: 1")
                .as("the clock of what is no store says nothing")
                .contains("ok       clock: not compared")
                .doesNotContain("takes the credentials");
    }

    @Test
    void controlPortIsNoStoreThatTakesCredentials() throws Exception {
        assertThat(examine("http://127.0.0.1:" + server.port(), "ALICE01", "ALICE01-secret", "data"))
                .isEqualTo(1);
        assertThat(printed.toString())
                .contains("problem  backend far: fails", "no S3 server", "problems: 1")
                .doesNotContain("takes the credentials");
    }

    @Test
    void credentialsAreNotSaidToBeTakenWhereNothingWasListed() throws Exception {
        assertThat(examine(endpoint(), "ADMIN01", "ADMIN01-secret", "absent")).isEqualTo(1);
        assertThat(printed.toString())
                .contains("bucket mine: missing", "ok       backend far: answers; whether it takes the credentials");
    }

    @ParameterizedTest
    @CsvSource({
        "NOBODY, ALICE01-secret, data, backend far: rejects, correct access-key",
        "ALICE01, wrong, data, backend far: rejects, correct secret-key",
        "READER1, READER1-secret, data, bucket mine, Give it s3:ListBucket",
        "ADMIN01, ADMIN01-secret, absent, bucket mine, correct its name"
    })
    void namesTheFaultAndItsRemedy(String accessKey, String secret, String bucket, String subject, String remedy)
            throws Exception {
        assertThat(examine(endpoint(), accessKey, secret, bucket)).isEqualTo(1);
        assertThat(printed.toString()).contains("problems: 1", subject, remedy);
    }

    /** As an IAM policy with a condition on s3:prefix has it. */
    @Test
    void credentialsThatMayListThePrefixOfTheEntryAloneAreNoFault() throws Exception {
        assertThat(examinePart("{ name: part, backend: far, bucket: data }")).isEqualTo(1);
        assertThat(examinePart("{ name: part, backend: far, bucket: data, prefix: o-1 }"))
                .isZero();
        assertThat(printed.toString()).contains("ok       backend far: answers, and takes the credentials");

        assertThat(examinePart("{ name: part, backend: far, bucket: data, prefix: o-1 },"
                        + " { name: more, backend: far, bucket: data, prefix: o-2 }"))
                .as("of the other entry")
                .isEqualTo(1);
        assertThat(examinePart(
                        "{ name: part, backend: far, bucket: data, prefix: o-1 }, { name: \"*\", backend: far }"))
                .as("of the pattern, which shows all of the bucket")
                .isEqualTo(1);
    }

    private int examinePart(String buckets) throws IOException {
        return examine("""
            s3: { port: 0 }
            admin: { port: 0 }
            data: ./doctor-data
            backends: { far: { type: s3, endpoint: "%s", access-key: PART001, secret-key: PART001-secret } }
            buckets: [ %s ]
            identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
            """.formatted(endpoint(), buckets));
    }

    /** As the key of least rights is, where only a pattern names the buckets that it may read. */
    @Test
    void keyThatMayNotListBucketsIsNoProblem() throws Exception {
        String denied = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";
        try (RecordingServer store = new RecordingServer(request -> PlannedResponse.text(403, denied))) {
            String backend = "type: s3, endpoint: \"%s\", access-key: A, secret-key: secret".formatted(store.uri());

            assertThat(examineReadOnly(backend, "name: \"*\"")).isZero();
        }
        assertThat(printed.toString())
                .contains("warning  backend far: refuses", "Give it s3:ListAllMyBuckets", "problems: 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"name: \"*\"", "name: models"})
    void hubThatTakesTheTokenAnswers(String bucket) throws Exception {
        try (ScriptedHub hub = new ScriptedHub()) {
            String backend = "type: hub, url: \"%s\", token: hf_good".formatted(hub.url());

            assertThat(examineReadOnly(backend, bucket)).isZero();
            assertThat(hub.atHub())
                    .isNotEmpty()
                    .allMatch(request -> request.header("Authorization").isPresent());
        }
        assertThat(printed.toString()).contains("ok       backend far: answers");
    }

    @ParameterizedTest
    @ValueSource(strings = {"name: \"*\"", "name: models", "name: tiny, bucket: models, prefix: org/tiny/main/"})
    void hubThatRefusesTheTokenDoesNotTakeIt(String bucket) throws Exception {
        try (ScriptedHub hub = new ScriptedHub()) {
            hub.rejectTokens();
            String backend = "type: hub, url: \"%s\", token: hf_bad".formatted(hub.url());

            assertThat(examineReadOnly(backend, bucket)).isEqualTo(1);
        }
        assertThat(printed.toString())
                .contains("problem  backend far: rejects", "correct the backend's token", "problems: 1")
                .doesNotContain("ok       backend far");
    }

    @Test
    void repositoryThatIsNotFoundIsAFaultOfItsEntry() throws Exception {
        try (ScriptedHub hub = new ScriptedHub()) {
            String backend = "type: hub, url: \"%s\"".formatted(hub.url());
            String entry = "name: tiny, bucket: models, prefix: org/tiny/main/";

            assertThat(examineReadOnly(backend, entry)).isEqualTo(1);
            assertThat(printed.toString())
                    .contains(
                            "problem  bucket tiny: missing",
                            "nothing is below org/tiny/main/",
                            "no such repository",
                            "ok       backend far: answers");

            String commit = ScriptedHub.commit(1);
            hub.repository("models/org/tiny").small(commit, "a", new byte[1]).branch("main", commit);
            assertThat(examineReadOnly(backend, entry)).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"hub, '*'", "hub, models", "http, '*'", "http, sets"})
    void closedPortIsToldByTheSettingOfItsType(String type, String bucket) throws Exception {
        try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String backend = "type: %s, url: \"http://127.0.0.2:%d\"".formatted(type, reserved.getLocalPort());

            assertThat(examineReadOnly(backend, "name: \"%s\"".formatted(bucket)))
                    .isEqualTo(1);
        }
        assertThat(printed.toString())
                .contains("problem  backend far: fails", "Correct its url, or start the server", "problems: 1")
                .doesNotContain("endpoint", "s3:", "ok       backend far");
    }

    /** Such an entry is refused before a request is sent, which is no answer of anybody. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            type: azure, account: acc, account-key: a2V5, endpoint: | /acc | bucket: My.Container | 3 to 63 lower-case
            type: hub, url:                                         | ''   | bucket: modelz       | models, datasets
            """)
    void impossibleBucketNameHidesNoDeadServer(String type, String path, String bucket, String rule) throws Exception {
        try (ReservedPort nobody = new ReservedPort()) {
            String backend = "%s \"%s%s\"".formatted(type, nobody.uri(), path);

            assertThat(examineReadOnly(backend, "name: mine, " + bucket)).isEqualTo(1);
        }
        assertThat(printed.toString())
                .contains("warning  buckets[0].bucket", rule, "problem  backend far: fails", "problems: 1")
                .doesNotContain("ok       backend far");
    }

    @ParameterizedTest
    @CsvSource({"200, '*'", "200, models", "403, '*'", "403, models", "404, models"})
    void webServerIsNoHub(int status, String bucket) throws Exception {
        try (RecordingServer web = new RecordingServer(
                request -> PlannedResponse.text(status, "<html>Welcome</html>").with("Content-Type", "text/html"))) {
            assertThat(examineReadOnly("type: hub, url: \"%s\"".formatted(web.uri()), "name: \"%s\"".formatted(bucket)))
                    .isEqualTo(1);
        }
        assertThat(printed.toString())
                .contains("problem  backend far: fails", "no Hub", status + ", text/html", "check the backend's url")
                .doesNotContain("ok       backend far");
    }

    /** Mirrors may have files without having lists. */
    @Test
    void hubWithoutAListIsNoFaultWhereNoEntryNamesABucket() throws Exception {
        try (RecordingServer mirror = new RecordingServer(request -> PlannedResponse.of(404))) {
            assertThat(examineReadOnly("type: hub, url: \"%s\"".formatted(mirror.uri()), "name: \"*\""))
                    .isZero();
        }
        assertThat(printed.toString()).contains("ok       backend far: answers; it says 404 to a list of repositories");
    }

    @ParameterizedTest
    @CsvSource({
        "200, 0, 'ok       backend far: answers'",
        "403, 0, 'ok       backend far: answers; it says 403 to a HEAD of its folder'",
        "404, 0, 'ok       backend far: answers; it says 404 to a HEAD of its folder'",
        "401, 1, 'problem  backend far: rejects'",
        "500, 1, 'problem  backend far: fails'"
    })
    void webServerWithoutListingIsSaidToDoWhatItDoes(int status, int code, String line) throws Exception {
        try (RecordingServer web = new RecordingServer(request -> PlannedResponse.of(status))) {
            for (String bucket : List.of("*", "sets")) {
                printed.getBuffer().setLength(0);

                assertThat(examineReadOnly(
                                "type: http, url: \"%s/\"".formatted(web.uri()), "name: \"%s\"".formatted(bucket)))
                        .isEqualTo(code);
                assertThat(printed.toString()).contains(line).doesNotContain("endpoint", "s3:");
                assertThat(printed.toString().contains("shows with the first read"))
                        .isEqualTo(code == 0 && status != 200);
            }
        }
    }

    private int examineReadOnly(String backend, String bucket) throws IOException {
        return examine("""
                s3: { port: 0 }
                admin: { port: 0 }
                data: ./doctor-data
                backends: { far: { %s } }
                buckets: [ { %s, backend: far } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """.formatted(backend, bucket));
    }

    /** A HEAD has no code, and its 400 was taken for a wrong endpoint or region. */
    @Test
    void nameThatTheServerRefusesIsAFaultOfTheEntryAlone() throws Exception {
        try (RecordingServer strict = new RecordingServer(DoctorTest::refuseTheNameOfABucket)) {
            assertThat(examine(strict.uri().toString(), "A", "secret", "Mine_There"))
                    .isEqualTo(1);
        }
        assertThat(printed.toString())
                .contains(
                        "problem  bucket mine: missing",
                        "400 InvalidBucketName",
                        "The server refuses this name",
                        "as 'bucket' of the entry",
                        "ok       backend far: answers",
                        "problems: 1")
                .doesNotContain("Check its endpoint", "path-style");
    }

    private static PlannedResponse refuseTheNameOfABucket(RecordedRequest request) {
        return request.path().startsWith("/Mine_There")
                ? PlannedResponse.text(
                        400,
                        "<Error><Code>InvalidBucketName</Code><Message>The specified bucket is not valid.</Message>"
                                + "</Error>")
                : PlannedResponse.text(200, "<ListAllMyBucketsResult><Buckets></Buckets></ListAllMyBucketsResult>");
    }

    @Test
    void reportsAMissingBucketUnderEachOfItsNames() throws Exception {
        assertThat(examine(
                        endpoint(),
                        "ADMIN01",
                        "ADMIN01-secret",
                        "absent }, { name: view, backend: far, bucket: absent"))
                .isEqualTo(1);
        assertThat(printed.toString()).contains("problems: 2", "bucket mine: missing", "bucket view: missing");
    }

    @Test
    void reportsUnreachableServerOnce() throws Exception {
        // It listens on another address, so that nobody else gets the port meanwhile.
        try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(examine("http://127.0.0.2:" + reserved.getLocalPort(), "A", "secret", "data"))
                    .isEqualTo(1);
        }
        assertThat(printed.toString())
                .contains("problems: 1", "backend far: fails", "Correct its endpoint, or start the server");
    }

    @Test
    void portOfAnotherProgramIsAProblem() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(examine(taken.getLocalPort(), endpoint(), "ALICE01", "ALICE01-secret", "data"))
                    .isEqualTo(1);
        }
        assertThat(printed.toString())
                .contains("problem  s3.port", "no Millrace answers", "ok       admin.port: 0", "problems: 1");
    }

    @Test
    void portsOfAMillraceThatDoesNotHoldTheLockAreDoubtful() throws Exception {
        examine(PORTS.formatted(server.s3Port(), server.port(), "doctor-data", folder));

        assertThat(printed.toString())
                .contains("warning  s3.port: 127.0.0.1:" + server.s3Port())
                .contains("warning  admin.port: 127.0.0.1:" + server.port())
                .contains(("the Millrace that answers at http://127.0.0.1:%d does not hold the lock of the data"
                                + " folder %s")
                        .formatted(server.port(), folder.resolve("doctor-data")));
    }

    @Test
    void portsOfTheMillraceWithTheDataFolderAreFine() throws Exception {
        examine(PORTS.formatted(server.s3Port(), server.port(), "data", folder));

        assertThat(printed.toString())
                .contains("ok       s3.port: 127.0.0.1:" + server.s3Port() + " is the running Millrace's")
                .contains("ok       admin.port: 127.0.0.1:" + server.port() + " is the running Millrace's");
    }

    /** As after a change of the file, before the restart. */
    @Test
    void portOfAnotherProgramIsNotTakenForTheRunningMillraces() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            examine(PORTS.formatted(taken.getLocalPort(), server.port(), "data", folder));
        }

        assertThat(printed.toString())
                .contains("problem  s3.port", "and is not the running Millrace's", Integer.toString(server.s3Port()))
                .contains("ok       admin.port: 127.0.0.1:" + server.port() + " is the running Millrace's");
    }

    @Test
    void foldersAreDescribedAndStayEmpty() throws Exception {
        examine(endpoint(), "ALICE01", "ALICE01-secret", "data");

        assertThat(printed.toString())
                .containsPattern("data: .*doctor-data on \\w+, .* free; a sync takes \\d+\\.\\d ms");
        assertThat(folder.resolve("doctor-data")).doesNotExist();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith(".millrace-doctor"));
        }
    }

    /** Nobody, not even root, makes a file in /proc. */
    @Test
    void folderThatCannotBeWrittenHasItsReasonInWords() throws Exception {
        assertThat(examine("""
                s3: { port: 0 }
                admin: { port: 0 }
                data: ./doctor-data
                cache: { disks: [ { path: /proc/none, size: 64MiB, required: false } ] }
                backends: { near: { type: file, path: ./near } }
                buckets: [ { name: "*", backend: near } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """)).isEqualTo(1);

        assertThat(printed.toString())
                .contains("problem  cache.disks[0]: /proc cannot be written (there is no such file or folder)")
                .doesNotContain("Exception", "NoSuchFile");
    }

    @Test
    void folderOfABackendIsDescribedAndItsMissingBucketNamed() throws Exception {
        Path objects = Files.createDirectories(folder.resolve("near"));
        Files.createDirectories(objects.resolve("real"));

        assertThat(examineFolder(objects, "{ name: mine, backend: near, bucket: real }", "*"))
                .isZero();
        assertThat(printed.toString()).contains("ok       backend near: " + objects + " can be read and written");

        assertThat(examineFolder(objects, "{ name: mine, backend: near, bucket: absent }", "*"))
                .isEqualTo(1);
        assertThat(printed.toString())
                .contains(
                        "problem  bucket mine: missing",
                        objects.resolve("absent").toString(),
                        "create it");
        try (Stream<Path> files = Files.list(objects)) {
            assertThat(files).containsExactly(objects.resolve("real"));
        }
    }

    @Test
    void folderOfABackendThatAStartMakesIsWarnedOf() throws Exception {
        Path objects = folder.resolve("not-yet");

        assertThat(examineFolder(objects, "{ name: \"*\", backend: near }", "*"))
                .isZero();
        assertThat(printed.toString()).contains("warning  backend near: " + objects + " does not exist");
        assertThat(objects).doesNotExist();
    }

    /** Nobody, not even root, makes a file in /proc. */
    @ParameterizedTest
    @CsvSource({
        "'{ name: sys, backend: near }', *, 'warning  backend near: /proc can be read, but not written'",
        "'{ name: \"*\", backend: near }', *, 'warning  backend near: /proc can be read, but not written'",
        "'{ name: sys, backend: near }', 'read,list:*', 'ok       backend near: /proc can be read, and nobody may write"
                + " there'",
        "'{ name: sys, backend: near }', 'write:net', 'ok       backend near: /proc can be read, and nobody may write"
                + " there'"
    })
    void folderIsToBeWritableWhereClientsMayWrite(String bucket, String rights, String line) throws Exception {
        assertThat(examineFolder(Path.of("/proc"), bucket, rights)).isZero();
        assertThat(printed.toString()).contains(line);
    }

    @Test
    void membersOfTheClusterAreSaidToBeReachableOrNot() throws Exception {
        try (ReservedPort closed = new ReservedPort();
                ReservedPort own = new ReservedPort()) {
            assertThat(examine("""
                s3: { port: 0 }
                admin: { port: 0 }
                data: ./doctor-data
                backends: { far: { type: s3, endpoint: "%1$s", access-key: ADMIN01, secret-key: ADMIN01-secret } }
                buckets: [ { name: "*", backend: far } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                cluster:
                  name: test
                  node: gw-0
                  listen: "127.0.0.1:%2$d"
                  secret: 0123456789abcdef0123456789abcdef
                  members: [ "gw-0=127.0.0.1:%2$d", "gw-1=127.0.0.1:%3$d", "gw-2=127.0.0.1:%4$d" ]
                """.formatted(endpoint(), own.number(), server.port(), closed.number())))
                    .isZero();
            assertThat(printed.toString())
                    .contains(
                            "ok       cluster.listen: 127.0.0.1:%d is free".formatted(own.number()),
                            "ok       cluster member gw-1: 127.0.0.1:%d accepts connections".formatted(server.port()),
                            "warning  cluster member gw-2: 127.0.0.1:%d does not accept connections"
                                    .formatted(closed.number()))
                    .doesNotContain("member gw-0");
        }
    }

    @Test
    void portOfTheClusterIsTheRunningMembers() throws Exception {
        InMemoryBackend objects = new InMemoryBackend(EnumSet.of(Capability.WRITE))
                .createBucket(new BucketName(ClusterNode.ANNOUNCED))
                .createBucket(new BucketName(ClusterNode.STRONG));
        try (TestGateway store = TestGateway.over(objects);
                ClusterNode running = new ClusterNode(folder, "gw-0");
                ClusterNode away = new ClusterNode(folder, "gw-1")) {
            running.configure(store, List.of(running.listed(), away.listed()));
            running.start();

            examine(Files.readString(folder.resolve("gw-0/millrace.yaml")));

            assertThat(printed.toString())
                    .contains("ok       cluster.listen: 127.0.0.1:%d is the running Millrace's"
                            .formatted(running.port()));
        }
    }

    private int examineFolder(Path objects, String bucket, String rights) throws IOException {
        return examine("""
            s3: { port: 0 }
            admin: { port: 0 }
            data: ./doctor-data
            backends: { near: { type: file, path: "%s" } }
            buckets: [ %s ]
            identities: [ { name: admin, access-key: K, secret-key: S, allow: "%s" } ]
            """.formatted(objects, bucket, rights));
    }

    private static String endpoint() {
        return "http://127.0.0.1:" + server.s3Port();
    }

    private int examine(String endpoint, String accessKey, String secret, String bucket) throws IOException {
        return examine(0, endpoint, accessKey, secret, bucket);
    }

    private int examine(int s3Port, String endpoint, String accessKey, String secret, String bucket)
            throws IOException {
        return examine("""
            s3: { port: %d }
            admin: { port: 0 }
            data: ./doctor-data
            backends: { far: { type: s3, endpoint: "%s", access-key: %s, secret-key: %s } }
            buckets: [ { name: mine, backend: far, bucket: %s }, { name: "*", backend: far } ]
            identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
            """.formatted(s3Port, endpoint, accessKey, secret, bucket));
    }

    private int examine(String yaml) throws IOException {
        Path file = Files.writeString(folder.resolve("doctor.yaml"), yaml);
        return MillraceApplication.commands()
                .setOut(new PrintWriter(printed))
                .setErr(new PrintWriter(printed))
                .execute("doctor", "--config", file.toString());
    }
}
