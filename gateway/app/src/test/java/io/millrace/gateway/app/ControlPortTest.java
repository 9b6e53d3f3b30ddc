package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.settings.SettingsLoader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that idle connections to the control port are closed: they use file descriptors that the data plane needs. */
@Timeout(60)
class ControlPortTest {
    @Test
    void aConnectionThatRequestsNothingIsClosed(@TempDir Path folder) throws Exception {
        String yaml = """
                s3: { address: 127.0.0.1, port: 0, idle-timeout: 1s }
                admin: { address: 127.0.0.1, port: 0 }
                data: %1$s/data
                backends: { local: { type: file, path: %1$s } }
                buckets: [ { name: data, backend: local } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                """.formatted(folder);
        try (Gateway gateway = Gateway.start(SettingsLoader.ofText(yaml, Map.of()));
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.adminPort())) {
            socket.setSoTimeout(20_000);

            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }
}
