package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A fetch of blocks whose request fails is left to its backend's retries; one that has begun is resumed, or ends with
 * its readers.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class BlockFetchRetriesTest {
    @TempDir
    Path folder;

    private final ComputedBackend backend = new ComputedBackend();
    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        gateway = TestGateway.builder()
                .cache(cache)
                .bucket("data", backend, "", "read")
                .start();
        // Its version is known from now on, so that a read fetches blocks of that.
        assertThat(send("HEAD").status()).isEqualTo(200);
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @Test
    void failedRequestIsNotSentAgain() throws IOException {
        backend.refuse(Integer.MAX_VALUE);

        assertThat(send("GET").status()).isEqualTo(503);
        assertThat(backend.gets()).isEqualTo(1);
    }

    @Test
    void bodyThatBreaksOffBeforeItsFirstByteIsResumed() throws IOException {
        backend.cutOnceAt(0);

        Response response = send("GET");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.bytes()).isEqualTo(backend.bytes("key/100000", 0, 100_000));
        assertThat(backend.gets()).isEqualTo(2);
    }

    @Test
    void readerAfterOneThatLeftAStalledBodyGetsAll() throws IOException {
        backend.stallAt(10_000);
        try (RawClient leaving = new RawClient(gateway.port())) {
            leaving.socket().getOutputStream().write(request("GET").getBytes(StandardCharsets.US_ASCII));
            assertThat(leaving.in().readNBytes(5000)).hasSize(5000);
        }
        backend.stallAt(Long.MAX_VALUE);

        assertThat(send("GET").bytes()).isEqualTo(backend.bytes("key/100000", 0, 100_000));
        assertThat(backend.gets()).isEqualTo(2);
    }

    private Response send(String method) throws IOException {
        return RawClient.ask(gateway.port(), request(method));
    }

    private static String request(String method) {
        return method + " /data/key/100000 HTTP/1.1\r\nHost: a\r\n\r\n";
    }
}
