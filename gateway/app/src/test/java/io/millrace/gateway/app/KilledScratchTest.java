package io.millrace.gateway.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.PayloadType;
import io.millrace.auth.Sha256;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.config.Secret;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that what a scratch bucket has acknowledged survives a kill of the process right after it, as it was last. */
@Timeout(180)
@Tag("slow")
class KilledScratchTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String LARGE = "0123456789abcdef".repeat(200_000);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final MillracePorts ports;

    KilledScratchTest() throws IOException {
        ports = new MillracePorts();
    }

    @AfterEach
    void giveBackPorts() throws IOException {
        ports.close();
    }

    @Promise("S3")
    @Test
    void acknowledgedWritesOutlastAKill() throws Exception {
        Files.writeString(folder.resolve("millrace.yaml"), """
                s3: { address: 127.0.0.1, port: %1$d }
                admin: { address: 127.0.0.1, port: %2$d }
                data: ./state
                cache: { disks: [ { path: ./cache, size: 1GiB } ], fill-memory: 64MiB }
                buckets: [ { name: kv-blocks, scratch: { ttl: 1h }, quota: 256MiB } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                """.formatted(ports.s3(), ports.admin()));
        Map<String, String> last = new HashMap<>();
        try (MillraceProcess first = run()) {
            put("large", LARGE, 200);
            last.put("large", LARGE);
            for (int i = 0; i < 20; i++) {
                put("twice-" + i, "old " + i, 200);
                put("twice-" + i, "new " + i, 200);
                last.put("twice-" + i, "new " + i);
                put("gone-" + i, "gone", 200);
                assertThat(send("DELETE", "gone-" + i, "", Map.of()).statusCode())
                        .isEqualTo(204);
            }
            first.close();
            first.exitCode();
        }
        try (MillraceProcess second = run()) {
            // They are found one after the other, while requests are served already.
            Polling.until("the blocks are found", () -> areFound(last.keySet()));
            for (Map.Entry<String, String> written : last.entrySet()) {
                assertThat(get(written.getKey())).as(written.getKey()).isEqualTo(written.getValue());
            }
            for (int i = 0; i < 20; i++) {
                assertThat(send("GET", "gone-" + i, "", Map.of()).statusCode()).isEqualTo(404);
            }
            HttpResponse<String> refused = send("PUT", "large", "another", Map.of("if-none-match", "*"));
            assertThat(refused.statusCode()).isEqualTo(412);
            second.close();
            second.exitCode();
        }
    }

    private MillraceProcess run() throws Exception {
        return MillraceProcess.run(folder, Map.of(), "serve", "--config", "millrace.yaml")
                .awaitHealth(ports.admin());
    }

    private void put(String key, String body, int status) throws Exception {
        HttpResponse<String> response = send("PUT", key, body, Map.of());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    }

    private boolean areFound(Set<String> keys) throws Exception {
        for (String key : keys) {
            if (send("GET", key, "", Map.of()).statusCode() != 200) {
                return false;
            }
        }
        return true;
    }

    private String get(String key) throws Exception {
        return send("GET", key, "", Map.of()).body();
    }

    private HttpResponse<String> send(String method, String key, String body, Map<String, String> headers)
            throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + ports.s3() + "/kv-blocks/" + key);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        headers.forEach(request::header);
        new RequestSigner("ADMIN01", Secret.of("ADMIN01-secret"), "us-east-1")
                .sign(uri, method, headers, new PayloadType.Sha256(Sha256.hex(body.getBytes(UTF_8))), Instant.now())
                .forEach(request::header);
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }
}
