package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.signature.RequestSigner;
import io.millrace.config.Secret;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.SigningClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two Millraces, each the other's backend: what goes round is refused at once, and what does not is served. */
@Timeout(120)
class GatewayLoopTest {
    private static final String KEY = "TIERKEY";
    private static final String SECRET = "secret-of-the-tiers";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final MillracePorts nearPorts;
    private final MillracePorts farPorts;
    private MillraceProcess near;
    private MillraceProcess far;

    GatewayLoopTest() throws IOException {
        nearPorts = new MillracePorts();
        farPorts = new MillracePorts();
    }

    @BeforeEach
    void start() throws Exception {
        Files.writeString(
                Files.createDirectories(folder.resolve("objects/real")).resolve("file.txt"), "from the far end");
        near = serve("near", nearPorts, farPorts, "");
        far = serve("far", farPorts, nearPorts, "{ name: real, backend: files },");
        near.awaitHealth(nearPorts.admin());
        far.awaitHealth(farPorts.admin());
    }

    @AfterEach
    void stop() throws IOException {
        near.close();
        far.close();
        nearPorts.close();
        farPorts.close();
    }

    @Test
    void requestThatComesBackIsRefused() throws Exception {
        SigningClient client = client(nearPorts);

        Response get = client.get("/loop/key");
        assertThat(get.status()).isEqualTo(508);
        assertThat(get.element("Code")).isEqualTo("LoopDetected");
        assertThat(get.element("Message")).contains("a backend leads to itself");
        assertThat(client.ask("GET", "/loop/key", Map.of("range", "bytes=5-9")).status())
                .isEqualTo(508);
        assertThat(client.head("/loop/key").status()).isEqualTo(508);
        assertThat(client.get("/loop?list-type=2").status()).isEqualTo(508);
        assertThat(client.ask("PUT", "/loop/key", Map.of("content-length", "0")).status())
                .isEqualTo(508);
        assertThat(client.ask("DELETE", "/loop/key", Map.of()).status()).isEqualTo(508);
        assertThat(near.output().lines().filter(line -> line.contains("508") && !line.contains(" more in the last ")))
                .as("a line for all requests")
                .singleElement()
                .asString()
                .contains("WARN", "Backend 'other', loop", "Its endpoint leads back to this Millrace");

        assertThat(client.get("/real/file.txt").text()).isEqualTo("from the far end");
        assertThat(client(farPorts).get("/real/file.txt").text()).isEqualTo("from the far end");
    }

    private MillraceProcess serve(String name, MillracePorts own, MillracePorts other, String buckets)
            throws IOException {
        Path file = Files.writeString(
                folder.resolve(name + ".yaml"), """
                data: ./%1$s
                cache: { disks: [ { path: ./%1$s-cache, size: 1GiB } ] }
                backends:
                  other: { type: millrace, endpoint: "http://127.0.0.1:%2$d", access-key: %3$s, secret-key: %4$s }
                  files: { type: file, path: ./objects }
                buckets: [ %5$s { name: "*", backend: other } ]
                identities: [ { name: all, access-key: %3$s, secret-key: %4$s, allow: "*" } ]
                """.formatted(name, other.s3(), KEY, SECRET, buckets));
        return MillraceProcess.run(folder, own.environment(), "serve", "--config", file.toString());
    }

    private static SigningClient client(MillracePorts ports) {
        return new SigningClient(
                () -> new RawClient(ports.s3()), Optional.of(new RequestSigner(KEY, Secret.of(SECRET), "us-east-1")));
    }
}
