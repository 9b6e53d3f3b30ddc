package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bucket whose backend cannot list is readable, and says why it is not listed. */
@ExtendWith(BufferLeakExtension.class)
class UnlistedBackendTest {
    private static final BucketName BUCKET = new BucketName("web");

    private final InMemoryBackend objects = InMemoryBackend.withoutListing().createBucket(BUCKET);

    @ParameterizedTest
    @ValueSource(strings = {"/web", "/web?list-type=2", "/web?versions"})
    void listIsRefusedWithTheReason(String target) throws IOException {
        try (TestGateway gateway = TestGateway.over(objects)) {
            RawClient.Response response = SignedWriteRequest.get(target).send(gateway.port());

            assertThat(response.status()).isEqualTo(501);
            assertThat(response.element("Code")).isEqualTo("NotImplemented");
            assertThat(response.element("Message")).contains("cannot list");
        }
    }

    @Test
    void objectIsReadByItsKey() throws IOException {
        objects.store(new ObjectRef(BUCKET, new ObjectKey("set/1")), new byte[] {'h', 'i'}, HeaderList.EMPTY);
        try (TestGateway gateway = TestGateway.over(objects)) {
            assertThat(SignedWriteRequest.get("/web/set/1").send(gateway.port()).text())
                    .isEqualTo("hi");
            assertThat(SignedWriteRequest.of("HEAD", "/web")
                            .send(gateway.port())
                            .status())
                    .isEqualTo(200);
            assertThat(SignedWriteRequest.get("/").send(gateway.port()).status())
                    .isEqualTo(200);
        }
    }
}
