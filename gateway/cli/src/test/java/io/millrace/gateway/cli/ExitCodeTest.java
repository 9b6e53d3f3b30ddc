package io.millrace.gateway.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.server.PlannedResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests exit codes, which scripts rely on, and error messages, which have one or two lines. */
class ExitCodeTest {
    private static final String SHOW = "GET /api/v1/jobs/j1";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400|\"field\":\"workers\",\"detail\":\"is 1 to 256\"|2|millrace: --workers: is 1 to 256",
                "400|\"field\":\"from.keys[3]\",\"detail\":\"is a text\"|2|millrace: --keys-from [3]: is a text",
                "400|\"field\":\"newer\",\"detail\":\"is wrong\"|2|millrace: newer: is wrong",
                "400|\"detail\":\"A body is needed.\"|2|millrace: A body is needed.",
                "403|\"detail\":\"needs admin\"|3|millrace: needs admin",
                "404|\"detail\":\"there is no such job\"|1|millrace: there is no such job",
                "409|\"detail\":\"it is over\"|1|millrace: it is over",
                "500|\"title\":\"no detail\"|1|millrace: the server responded with status 500",
                "501|\"detail\":\"not yet \\u001b[2J\"|1|millrace: not yet \\u001b[2J"
            })
    void serverErrorBecomesExitCodeAndOneLine(int status, String problem, int code, String line) throws Exception {
        try (FakeControlServer server =
                new FakeControlServer().on(SHOW, FakeControlServer.problem(status, "{" + problem + "}"))) {
            CommandHarness.Result result = CommandHarness.at(server, folder).run("jobs", "show", "j1");

            assertThat(result).isEqualTo(new CommandHarness.Result(code, "", line + System.lineSeparator()));
        }
    }

    @Test
    void wrongSecretErrorNamesTheSourceOfTheKey() throws Exception {
        try (FakeControlServer server = new FakeControlServer()) {
            CommandHarness.Result result = CommandHarness.at(server, folder)
                    .with("AWS_SECRET_ACCESS_KEY", "wrong-secret")
                    .run("jobs");

            assertThat(result.code()).isEqualTo(3);
            assertThat(result.err().lines())
                    .containsExactly(
                            "millrace: SignatureDoesNotMatch",
                            "The request was signed with access key ALICE01 from AWS_ACCESS_KEY_ID.");
        }
    }

    @Test
    void withoutKeysNothingIsSent() throws Exception {
        try (FakeControlServer server = new FakeControlServer()) {
            CommandHarness.Result result = new CommandHarness(folder).run("jobs", "--endpoint-url", server.endpoint());

            assertThat(result.code()).isEqualTo(3);
            assertThat(result.err()).startsWith("millrace: no credentials: set AWS_ACCESS_KEY_ID");
            assertThat(server.asked()).isEmpty();
        }
    }

    @Test
    void aServerThatIsNotThereCannotBeReached() throws Exception {
        try (ReservedPort nobody = new ReservedPort()) {
            CommandHarness.Result result =
                    keyed().run("jobs", "--endpoint-url", nobody.uri().toString());

            assertThat(result.code()).isEqualTo(4);
            assertThat(result.err()).startsWith("millrace: cannot reach Millrace at " + nobody.uri());
        }
    }

    /** As a port with TLS does it. */
    @Test
    void serverThatClosesAPlainConnectionMayServeTls() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            // The JDK sends the request a second time.
            Thread closing = new Thread(() -> answer(silent, 2, ""));
            closing.start();

            CommandHarness.Result result =
                    keyed().run("jobs", "--endpoint-url", "http://127.0.0.1:" + silent.getLocalPort());

            assertThat(result.code()).isEqualTo(4);
            assertThat(result.err()).endsWith("If it serves TLS, write https://." + System.lineSeparator());
            closing.join();
        }
    }

    @Test
    void serverWithoutTlsIsNotTakenForAnUntrustedOne() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 2, InetAddress.getLoopbackAddress())) {
            Thread closing = new Thread(() -> answer(plain, 1, "HTTP/1.1 400 Bad Request\r\n\r\n"));
            closing.start();

            CommandHarness.Result result =
                    keyed().run("jobs", "--endpoint-url", "https://127.0.0.1:" + plain.getLocalPort());

            assertThat(result.code()).isEqualTo(4);
            assertThat(result.err()).endsWith("If it serves plain HTTP, write http://." + System.lineSeparator());
            closing.join();
        }
    }

    private static void answer(ServerSocket server, int connections, String response) {
        for (int i = 0; i < connections; i++) {
            try (Socket client = server.accept()) {
                assertThat(client.getInputStream().read()).isPositive();
                client.getOutputStream().write(response.getBytes(US_ASCII));
                client.shutdownOutput();
                client.getInputStream().readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Test
    void anotherKindOfServerIsDistinguished() throws Exception {
        PlannedResponse xml = PlannedResponse.text(403, "<Error/>").with("Content-Type", "application/xml");
        try (FakeControlServer server = new FakeControlServer().on("GET /api/v1/jobs?limit=20", xml)) {
            CommandHarness.Result result = CommandHarness.at(server, folder).run("jobs");

            assertThat(result.code()).isEqualTo(4);
            assertThat(result.err()).contains("not to the S3 port");
        }
    }

    @ParameterizedTest
    @CsvSource({"localhost:9081", "ftp://h", "http://user:word@h", "http://h?q", "'http://h h'"})
    void invalidEndpointIsAUsageErrorAndNotPrinted(String url) {
        CommandHarness.Result result = keyed().run("jobs", "--endpoint-url", url);

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains("the endpoint is not the URL").doesNotContain("word");
    }

    @Test
    void endpointPathPrecedesTheApiPath() throws Exception {
        try (FakeControlServer server = new FakeControlServer()
                .on("GET /behind/api/v1/jobs?limit=20", PlannedResponse.json(200, "{\"jobs\":[]}"))) {
            CommandHarness.Result result =
                    CommandHarness.at(server, folder).run("jobs", "--endpoint-url", server.endpoint() + "/behind/");

            assertThat(result).isEqualTo(new CommandHarness.Result(0, "no jobs" + System.lineSeparator(), ""));
        }
    }

    @Test
    void helpReportsTheCodes() {
        assertThat(new CommandHarness(folder).run("prefetch", "--help").out())
                .contains(
                        "Exit codes:", "0     Done.", "3     Access denied", "4     The server cannot", "130   Interr");
    }

    private CommandHarness keyed() {
        return new CommandHarness(folder).with("AWS_ACCESS_KEY_ID", "A").with("AWS_SECRET_ACCESS_KEY", "s");
    }
}
