package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.ReservedPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a gateway without a cluster loads no class of it, and so opens no port and starts no thread for it. */
@Timeout(180)
class ClusterClassesTest {
    private static final String CLASSES = "io.millrace.gateway.cluster.";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void onlyAGatewayWithAClusterLoadsItsClasses() throws Exception {
        List<String> alone = loaded("");
        assertThat(alone.stream().filter(line -> line.contains("gateway.app.Gateway ")))
                .hasSize(1);
        assertThat(alone.stream().filter(line -> line.contains(CLASSES))).isEmpty();
        try (ReservedPort port = new ReservedPort()) {
            List<String> member = loaded("""
                cluster:
                  name: test
                  node: gw-0
                  listen: "127.0.0.1:%1$d"
                  secret: 0123456789abcdef0123456789abcdef
                  members: [ "gw-0=127.0.0.1:%1$d" ]
                """.formatted(port.number()));
            assertThat(member.stream().filter(line -> line.contains(CLASSES))).isNotEmpty();
        }
    }

    /** Returns the classes that a gateway has loaded when it serves, a line each. */
    private List<String> loaded(String section) throws IOException, InterruptedException {
        Path classes = Files.createTempFile(folder, "classes", ".txt");
        Path own = Files.createTempDirectory(folder, "gateway");
        Path file = Files.writeString(own.resolve("millrace.yaml"), """
            data: ./data
            cache: { disks: [ { path: ./cache, size: 64MiB } ], fill-memory: 64MiB }
            backends: { far: { type: s3, endpoint: "http://127.0.0.1:9", access-key: A, secret-key: S } }
            buckets: [ { name: data, backend: far } ]
            identities: [ { name: admin, access-key: admin, secret-key: secret-key, allow: "*" } ]
            """ + section);
        try (MillracePorts ports = new MillracePorts()) {
            Map<String, String> environment = new HashMap<>(ports.environment());
            environment.put("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + classes);
            try (MillraceProcess millrace = MillraceProcess.run(own, environment, "serve", "--config", file.toString())
                    .awaitHealth(ports.admin())) {
                assertThat(MillraceProcess.get("http://127.0.0.1:" + ports.admin() + "/ready"))
                        .startsWith("200");
                millrace.terminate();
                assertThat(millrace.exitCode()).isEqualTo(143);
            }
        }
        return Files.readAllLines(classes);
    }
}
