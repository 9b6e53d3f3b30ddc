package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.ApiServer.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that open event streams do not delay a stop, although a stopping gateway waits for requests in flight. */
class ApiStopTest {
    @Test
    void whoWatchesAJobDoesNotHoldUpTheEnd(@TempDir Path folder) throws Exception {
        CompletableFuture<Response> stream;
        long begin;
        try (ApiServer server = ApiServer.start(folder)) {
            String slow =
                    "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"},\"workers\":1,\"requestsPerSecond\":1}";
            String id = server.post(ALICE, API + "/jobs", slow).field("id");
            stream = CompletableFuture.supplyAsync(() -> watch(server, id));
            Thread.sleep(1_500);
            begin = System.nanoTime();
        }

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
        assertThat(stream.get(5, TimeUnit.SECONDS).text()).contains("event:job", "\"state\":\"running\"");
    }

    private static Response watch(ApiServer server, String id) {
        try {
            return server.get(ALICE, API + "/jobs/" + id + "/events");
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
