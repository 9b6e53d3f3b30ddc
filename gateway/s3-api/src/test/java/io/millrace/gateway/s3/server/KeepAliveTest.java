package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Verifies that a request received before the last response has ended waits, and that the connection continues. Reactor
 * Netty up to 1.3.7 stops reading then (reactor-netty issue 4361), which a client sees as a hang of its connection.
 */
class KeepAliveTest {
    /** Returns a gateway to be completed. */
    TestGateway.Builder builder() {
        return TestGateway.builder();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 60_000, 300_000, 3_000_000})
    void connectionSurvivesAWaitingRequest(int size) throws IOException {
        InMemoryBackend backend = new InMemoryBackend();
        backend.store(
                new ObjectRef(new BucketName("open"), new ObjectKey("key")),
                GeneratedBytes.of("key").first(size),
                HeaderList.EMPTY);
        try (TestGateway gateway =
                        builder().bucket("open", backend, "", "read,list").start();
                RawClient client = gateway.connect()) {
            String get = "GET /open/key HTTP/1.1\r\nHost: a\r\n\r\n";
            String absent = "GET /open/none HTTP/1.1\r\nHost: a\r\n\r\n";

            for (int i = 0; i < 10; i++) {
                assertThat(client.send(get + absent).bytes())
                        .isEqualTo(GeneratedBytes.of("key").first(size));
                assertThat(client.send("").status()).isEqualTo(404);
            }
        }
    }
}
