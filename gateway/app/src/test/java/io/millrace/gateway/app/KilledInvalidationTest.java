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
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that an invalidation survives a kill of the process right after it. */
@Timeout(180)
@Tag("slow")
class KilledInvalidationTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final MillracePorts ports;

    KilledInvalidationTest() throws IOException {
        ports = new MillracePorts();
    }

    @AfterEach
    void giveBackPorts() throws IOException {
        ports.close();
    }

    @Promise("I2")
    @Test
    void anInvalidationOutlastsAKill() throws Exception {
        Path bucket = Files.createDirectories(folder.resolve("objects/data"));
        Files.writeString(folder.resolve("millrace.yaml"), """
                s3: { address: 127.0.0.1, port: %1$d }
                admin: { address: 127.0.0.1, port: %2$d }
                data: ./state
                cache: { disks: [ { path: ./cache, size: 1GiB } ], fill-memory: 64MiB }
                backends: { local: { type: file, path: ./objects } }
                buckets: [ { name: data, backend: local, freshness: { mode: immutable } } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                """.formatted(ports.s3(), ports.admin()));
        for (String key : new String[] {"a-1", "a-2", "b-1"}) {
            Files.writeString(bucket.resolve(key), "old");
        }
        try (MillraceProcess first = run()) {
            for (String key : new String[] {"a-1", "a-2", "b-1"}) {
                assertThat(get(key)).isEqualTo("old");
            }
            Polling.until(
                    "the metadata of all three is stored",
                    () -> send("GET", ports.admin(), "/api/v1/residency?bucket=data", "")
                            .contains("\"objects\":3"));
            for (String key : new String[] {"a-1", "a-2", "b-1"}) {
                Files.writeString(bucket.resolve(key), "new");
                assertThat(get(key)).isEqualTo("old");
            }
            assertThat(send("POST", ports.admin(), "/api/v1/invalidations", "{\"bucket\":\"data\",\"prefix\":\"a-\"}"))
                    .isEmpty();
            first.close();
            first.exitCode();
        }
        try (MillraceProcess second = run()) {
            assertThat(get("a-1")).isEqualTo("new");
            assertThat(get("a-2")).isEqualTo("new");
            // It was not invalidated, and is of an immutable bucket.
            assertThat(get("b-1")).isEqualTo("old");
            second.close();
            second.exitCode();
        }
        try (MillraceProcess third = run()) {
            assertThat(get("a-1")).isEqualTo("new");
        }
    }

    private MillraceProcess run() throws Exception {
        return MillraceProcess.run(folder, Map.of(), "serve", "--config", "millrace.yaml")
                .awaitHealth(ports.admin());
    }

    private String get(String key) throws Exception {
        return send("GET", ports.s3(), "/data/" + key, "");
    }

    private static String send(String method, int port, String path, String body) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("content-type", "application/json");
        }
        new RequestSigner("ADMIN01", Secret.of("ADMIN01-secret"), "us-east-1")
                .sign(uri, method, Map.of(), new PayloadType.Sha256(Sha256.hex(body.getBytes(UTF_8))), Instant.now())
                .forEach(request::header);
        return CLIENT.send(request.build(), BodyHandlers.ofString()).body();
    }
}
