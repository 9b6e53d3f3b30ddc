package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.signature.RequestSigner;
import io.millrace.config.Secret;
import io.millrace.gateway.testkit.ConnectProxy;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.SigningClient;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Millrace whose object store is itself, under a name that its settings do not know: what comes back is refused at
 * once.
 */
@Timeout(120)
class SelfLoopTest {
    private static final String KEY = "LOOPKEY";
    private static final String SECRET = "secret-of-the-loop";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void storeThatIsTheGatewayItselfIsRefused() throws Exception {
        try (MillracePorts ports = new MillracePorts();
                ConnectProxy proxy = new ConnectProxy("");
                Gateway gateway = Gateway.start(SettingsLoader.ofText(
                        """
                        data: "%1$s/data"
                        cache: { disks: [ { path: "%1$s/cache", size: 1GiB } ] }
                        backends:
                          store:
                            type: s3
                            endpoint: "http://store.example:%2$d"
                            access-key: %3$s
                            secret-key: %4$s
                            proxy: { url: "%5$s" }
                        buckets: [ { name: "*", backend: store } ]
                        identities: [ { name: all, access-key: %3$s, secret-key: %4$s, allow: "*" } ]
                        """.formatted(folder, ports.s3(), KEY, SECRET, proxy.url()), ports.environment()))) {
            SigningClient client = new SigningClient(
                    () -> new RawClient(gateway.s3Port()),
                    Optional.of(new RequestSigner(KEY, Secret.of(SECRET), "us-east-1")));

            Response get = client.get("/loop/key");
            assertThat(get.status()).isEqualTo(508);
            assertThat(get.element("Code")).isEqualTo("LoopDetected");
            assertThat(client.head("/loop/key").status()).isEqualTo(508);
            assertThat(client.get("/loop?list-type=2").status()).isEqualTo(508);
            assertThat(client.ask("PUT", "/loop/key", Map.of("content-length", "0"))
                            .status())
                    .isEqualTo(508);
            assertThat(client.ask("DELETE", "/loop/key", Map.of()).status()).isEqualTo(508);
        }
    }
}
