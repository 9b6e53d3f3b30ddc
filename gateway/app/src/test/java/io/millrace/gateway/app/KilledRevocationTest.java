package io.millrace.gateway.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.PayloadType;
import io.millrace.auth.Sha256;
import io.millrace.auth.signature.RequestSigner;
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
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a revocation, and that it was lifted, survive a kill of the process right after it. */
@Timeout(180)
class KilledRevocationTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final MillracePorts ports;

    KilledRevocationTest() throws IOException {
        ports = new MillracePorts();
    }

    @AfterEach
    void giveBackPorts() throws IOException {
        ports.close();
    }

    @Test
    void revocationOutlastsAKill() throws Exception {
        Path bucket = Files.createDirectories(folder.resolve("objects/data"));
        Files.writeString(bucket.resolve("key"), "content");
        Files.writeString(folder.resolve("millrace.yaml"), """
                s3: { address: 127.0.0.1, port: %1$d }
                admin: { address: 127.0.0.1, port: %2$d }
                data: ./state
                cache: { disks: [ { path: ./cache, size: 1GiB } ], fill-memory: 64MiB }
                backends: { local: { type: file, path: ./objects } }
                buckets: [ { name: data, backend: local, freshness: { mode: immutable } } ]
                identities:
                - { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" }
                - { name: alice, access-key: ALICE01, secret-key: ALICE01-secret, allow: "read:*" }
                """.formatted(ports.s3(), ports.admin()));
        String alice = "{\"target\":\"identity\",\"name\":\"alice\"}";
        try (MillraceProcess first = run()) {
            assertThat(read("ALICE01").statusCode()).isEqualTo(200);
            assertThat(send("ADMIN01", "POST", ports.admin(), "/api/v1/revocations", alice)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(read("ALICE01").statusCode()).isEqualTo(403);
            first.close();
            first.exitCode();
        }
        try (MillraceProcess second = run()) {
            assertThat(read("ALICE01").statusCode()).isEqualTo(403);
            assertThat(read("ALICE01").body()).contains("<Code>AccessDenied</Code>", "revoked");
            assertThat(read("ADMIN01").body()).isEqualTo("content");
            assertThat(send("ADMIN01", "DELETE", ports.admin(), "/api/v1/revocations?target=identity&name=alice", "")
                            .statusCode())
                    .isEqualTo(204);
            second.close();
            second.exitCode();
        }
        try (MillraceProcess third = run()) {
            assertThat(read("ALICE01").body()).isEqualTo("content");
        }
    }

    private MillraceProcess run() throws Exception {
        return MillraceProcess.run(folder, Map.of(), "serve", "--config", "millrace.yaml")
                .awaitHealth(ports.admin());
    }

    private HttpResponse<String> read(String accessKey) throws Exception {
        return send(accessKey, "GET", ports.s3(), "/data/key", "");
    }

    private static HttpResponse<String> send(String accessKey, String method, int port, String path, String body)
            throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("content-type", "application/json");
        }
        new RequestSigner(accessKey, Secret.of(accessKey + "-secret"), "us-east-1")
                .sign(uri, method, Map.of(), new PayloadType.Sha256(Sha256.hex(body.getBytes(UTF_8))), Instant.now())
                .forEach(request::header);
        // Another client keeps no connection to a process that was killed.
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }
}
