package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.API;
import static io.millrace.gateway.app.ApiServer.BOB;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.ApiServer.Caller;
import io.millrace.gateway.app.ApiServer.Response;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the event stream: one stream reports all jobs of a client, and the number of open streams is limited. */
@Timeout(60)
class ApiStreamsTest {
    private static final int MOST = 16;
    private static final String JOBS = API + "/jobs";
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

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
    void theStreamOfAllJobsTellsWhatIsNewWhatChangesAndWhatGoes() throws Exception {
        String before = submit(BOB, "o-0");
        server.awaitEnd(before);
        try (BufferedReader events = read(BOB)) {
            assertThat(data(events)).contains(before).contains("\"gone\":[]");
            String others = submit(ALICE, "o-0");
            server.awaitEnd(others);
            String made = submit(BOB, "o-1");
            String told = data(events);
            while (!told.contains("\"state\":\"done\"")) {
                assertThat(told).contains(made).doesNotContain(before).doesNotContain(others);
                told = data(events);
            }
            assertThat(server.send(BOB, "DELETE", JOBS + "/" + before, "").status())
                    .isEqualTo(204);
            assertThat(data(events)).isEqualTo("{\"jobs\":[],\"gone\":[\"" + before + "\"]}");
        }
    }

    @Test
    void whoHasNoJobsIsToldSoAtOnce() throws Exception {
        try (BufferedReader events = read(ApiServer.READER)) {
            assertThat(data(events)).isEqualTo("{\"jobs\":[],\"gone\":[]}");
        }
    }

    @Test
    void oneStreamTooManyIsAProblemAndTheOthersGoOn() throws Exception {
        List<InputStream> open = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            HttpResponse<InputStream> stream = stream(ALICE);
            assertThat(stream.statusCode()).isEqualTo(200);
            open.add(stream.body());
        }

        Response refused = server.get(ALICE, JOBS + "/events");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.type()).isEqualTo("application/problem+json");
        assertThat(refused.field("detail")).contains("16 streams");
        HttpResponse<InputStream> another = stream(ADMIN);
        assertThat(another.statusCode()).isEqualTo(200);
        another.body().close();

        open.remove(0).close();
        int status = 429;
        for (int i = 0; i < 100 && status == 429; i++) {
            Thread.sleep(50);
            HttpResponse<InputStream> again = stream(ALICE);
            status = again.statusCode();
            open.add(again.body());
        }
        assertThat(status).isEqualTo(200);
        for (InputStream stream : open) {
            stream.close();
        }
    }

    private static String submit(Caller who, String prefix) throws Exception {
        return server.post(
                        who,
                        JOBS,
                        "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"prefix\":\"%s\"}}".formatted(prefix))
                .field("id");
    }

    private static HttpResponse<InputStream> stream(Caller who) throws IOException, InterruptedException {
        Map<String, String> bearer = Map.of("authorization", "Bearer " + who.token());
        return CLIENT.send(server.request("GET", JOBS + "/events", "", bearer), BodyHandlers.ofInputStream());
    }

    private static BufferedReader read(Caller who) throws IOException, InterruptedException {
        return new BufferedReader(new InputStreamReader(stream(who).body(), StandardCharsets.UTF_8));
    }

    /** Of the next event. */
    private static String data(BufferedReader events) throws IOException {
        String line = events.readLine();
        while (line != null && !line.startsWith("data:")) {
            line = events.readLine();
        }
        return line == null ? "" : line.substring("data:".length());
    }
}
