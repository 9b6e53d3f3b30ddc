package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Verifies metadata from a backend that no header can carry. It must not split the response or turn it into an empty
 * object.
 */
@ExtendWith(BufferLeakExtension.class)
class OddHeadersTest {
    private final InMemoryBackend objects = new InMemoryBackend();
    private final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "x-amz-meta-a|1\\r\\nx-injected: 1",
                "x-amz-meta-a|1\\nx-injected: 1",
                "x-amz-meta-a|1\\r",
                "x-amz-meta-a|\\0",
                "x-amz-meta-a|\\1",
                "x-amz-meta-a: b|1",
                "x-amz-meta-\\n|1",
                "x-amz-meta- a|1",
            })
    void unsendableHeaderIsAnErrorNotAnEmptyObject(String name, String value) throws IOException {
        objects.store(
                new ObjectRef(new BucketName("bucket"), new ObjectKey("key")),
                "content".getBytes(StandardCharsets.UTF_8),
                HeaderList.EMPTY.with(unescaped(name), unescaped(value)));
        try (TestGateway gateway = TestGateway.over(backend)) {
            SigningClient caller = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
            RawClient.Response response = caller.get("/bucket/key");

            assertThat(response.headers()).doesNotContainKey("x-injected");
            assertThat(response.status() >= 500 || response.text().equals("content"))
                    .as("an error or the content: %s", response)
                    .isTrue();
            Polling.until("the body is closed", () -> backend.openBodies() == 0);
        }
    }

    private static String unescaped(String text) {
        return text.replace("\\r", "\r")
                .replace("\\n", "\n")
                .replace("\\0", "\0")
                .replace("\\1", "\u0001");
    }
}
