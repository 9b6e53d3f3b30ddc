package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.API;
import static io.millrace.gateway.app.ApiServer.BOB;
import static io.millrace.gateway.app.ApiServer.KEEPER;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests that a client with any valid key cannot exhaust memory, connections or the log. */
@Timeout(60)
class ApiLimitsTest {
    private static final String JOBS = API + "/jobs";

    @SuppressWarnings("NullAway.Init")
    private static ApiServer server;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        server = ApiServer.start(folder);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void listsTellNoMoreThanTenKeysOfAJobAndTheJobItselfAll() throws Exception {
        String keys = IntStream.range(0, 20).mapToObj("\"o-%02d\""::formatted).collect(Collectors.joining(","));
        String id = server.post(
                        KEEPER,
                        JOBS,
                        "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"keys\":[%s]}}".formatted(keys))
                .field("id");

        assertThat(server.get(KEEPER, JOBS + "/" + id)
                        .json()
                        .path("request")
                        .path("from")
                        .path("keys")
                        .size())
                .isEqualTo(20);
        assertThat(server.get(KEEPER, JOBS + "/" + id + "?brief=true")
                        .json()
                        .path("request")
                        .path("from")
                        .path("keys")
                        .size())
                .isEqualTo(10);
        assertThat(server.get(KEEPER, JOBS + "/" + id + "?brief=perhaps").status())
                .isEqualTo(400);
        assertThat(server.get(KEEPER, JOBS)
                        .json()
                        .path("jobs")
                        .path(0)
                        .path("request")
                        .path("from")
                        .path("keys")
                        .size())
                .isEqualTo(10);
    }

    @Test
    void aTextThatNoKeyCouldHaveIsRefused() throws Exception {
        ApiServer.Response response = server.post(
                ALICE,
                JOBS,
                "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"prefix\":\"%s\"}}".formatted("p".repeat(1025)));

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.field("field")).isEqualTo("from.prefix");
    }

    @Test
    void oneIdentitySendsSoManyBodiesAtATimeAndOthersGoOn() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 16; i++) {
                slow.add(halfABody(ALICE));
            }
            ApiServer.Response refused = server.post(ALICE, JOBS, "{}");
            for (int i = 0; i < 100 && refused.status() != 429; i++) {
                Thread.sleep(20);
                // The body before may have had the place of one of the slow ones, which was refused then.
                slow.add(halfABody(ALICE));
                refused = server.post(ALICE, JOBS, "{}");
            }
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.field("detail")).contains("16 bodies");
            assertThat(server.get(ALICE, JOBS).status()).isEqualTo(200);
            assertThat(server.post(BOB, JOBS, "{}").status()).isEqualTo(400);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
        ApiServer.Response again = server.post(ALICE, JOBS, "{}");
        for (int i = 0; i < 100 && again.status() == 429; i++) {
            Thread.sleep(20);
            again = server.post(ALICE, JOBS, "{}");
        }
        assertThat(again.status()).isEqualTo(400);
    }

    @Test
    void whoLeavesInTheMiddleOfABodyIsNoErrorOfOurs() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> heard = new ListAppender<>();
        heard.start();
        root.addAppender(heard);
        try {
            for (int i = 0; i < 5; i++) {
                Socket socket = halfABody(BOB);
                Thread.sleep(100);
                socket.close();
            }
            Thread.sleep(500);
        } finally {
            root.detachAppender(heard);
        }

        assertThat(List.copyOf(heard.list)).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN));
    }

    private static Socket halfABody(ApiServer.Caller who) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.getOutputStream()
                .write(
                        "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nAuthorization: Bearer %s\r\n\r\n{"
                                .formatted(JOBS, who.token())
                                .getBytes(US_ASCII));
        socket.getOutputStream().flush();
        return socket;
    }
}
