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
import io.millrace.backend.testkit.Polling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Tests that a client with any valid key cannot exhaust memory, connections or the log. */
@Timeout(180)
class ApiLimitsTest extends ApiServerTest {
    private static final String JOBS = API + "/jobs";

    @Test
    void briefJobsListAtMostTenKeys() throws Exception {
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
    void limitsConcurrentBodiesPerIdentity() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            assertThat(sendHalfBodies(ALICE, slow).field("detail")).contains("16 bodies");
            assertThat(server.get(ALICE, JOBS).status()).isEqualTo(200);
            assertThat(server.post(BOB, JOBS, "{}").status()).isEqualTo(400);
        } finally {
            closeAll(slow);
        }
        awaitPlaceForABody(ALICE);
    }

    @Test
    void clientDisconnectDuringABodyLogsNoWarning() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> heard = new ListAppender<>();
        heard.list = new CopyOnWriteArrayList<>(); // read here while others write
        heard.start();
        root.addAppender(heard);
        try {
            List<Socket> slow = new ArrayList<>();
            ApiServer.Response refused = sendHalfBodies(BOB, slow);
            assertThat(refused.status()).isEqualTo(429);
            closeAll(slow);
            awaitPlaceForABody(BOB);
            Polling.holdsFor(
                    Duration.ofMillis(300),
                    () -> List.copyOf(heard.list).stream()
                            // The cache may warn of a slow disk meanwhile.
                            .filter(event -> !event.getLoggerName().startsWith("io.millrace.cache"))
                            .noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN)));
        } finally {
            root.detachAppender(heard);
        }
    }

    /**
     * Sends halves of bodies until the server holds as many as it takes of one identity; returns what it says to one
     * more.
     */
    private static ApiServer.Response sendHalfBodies(ApiServer.Caller who, List<Socket> slow) throws Exception {
        for (int i = 0; i < 16; i++) {
            slow.add(halfABody(who));
        }
        ApiServer.Response[] refused = new ApiServer.Response[1];
        Polling.until("one more is refused", () -> {
            refused[0] = server.post(who, JOBS, "{}");
            if (refused[0].status() != 429) {
                // This body may have had the place of one of the slow ones, which was refused then.
                slow.add(halfABody(who));
            }
            return refused[0].status() == 429;
        });
        return refused[0];
    }

    private static void closeAll(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private static void awaitPlaceForABody(ApiServer.Caller who) {
        Polling.until("a body is read again", () -> server.post(who, JOBS, "{}").status() == 400);
    }

    private static Socket halfABody(ApiServer.Caller who) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.getOutputStream()
                .write(("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length:"
                                + " 1000\r\nAuthorization: Bearer %s\r\n\r\n{")
                        .formatted(JOBS, who.token())
                        .getBytes(US_ASCII));
        socket.getOutputStream().flush();
        return socket;
    }
}
