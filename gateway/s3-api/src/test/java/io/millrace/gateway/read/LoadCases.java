package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Large objects, and many readers at once: the right bytes for each. */
interface LoadCases extends EndpointReadCases {
    int MIB = 1 << 20;
    int READERS = 64;

    @ParameterizedTest
    @ValueSource(ints = {16, 64})
    default void largeObjectIsBroughtByteForByte(int mib) throws IOException {
        String key = mib + "-mib";
        GeneratedBytes bytes = GeneratedBytes.of(key);
        origin().put(bucket(), key, bytes.first(mib * MIB), HeaderList.EMPTY);

        try (InputStream body = sdk().getObject(get -> get.bucket(bucket()).key(key))) {
            for (int i = 0; i < mib; i++) {
                // Arrays are compared here: a failed assertion on them would print millions of bytes.
                assertThat(Arrays.equals(body.readNBytes(MIB), bytes.slice((long) i * MIB, MIB)))
                        .as("MiB %d of %d", i, mib)
                        .isTrue();
            }
            assertThat(body.read()).isEqualTo(-1);
        }
    }

    /**
     * A backend answers on threads of its own; the next request of the connection may be here before its answer has
     * ended.
     */
    @Test
    default void connectionServesRequestsOneAfterAnother() throws IOException {
        String target = seeded("one-after-another", 100);
        try (RawClient client = new RawClient(gateway().port())) {
            for (int i = 0; i < 60; i++) {
                assertThat(client.send(wire().request("HEAD", target)).status()).isEqualTo(200);
                assertThat(client.send(wire().request("GET", target)).bytes())
                        .isEqualTo(GeneratedBytes.of("one-after-another").first(100));
                assertThat(client.send(wire().request("HEAD", target + "-not")).status())
                        .isEqualTo(404);
                assertThat(client.send(wire().request("GET", target, "range: bytes=100-"))
                                .status())
                        .isEqualTo(416);
            }
        }
    }

    @Test
    default void herdOfMixedReadersGetsTheRightBytes() throws Exception {
        List<String> keys = IntStream.range(0, 8).mapToObj("herd/%d"::formatted).toList();
        for (String key : keys) {
            origin().put(bucket(), key, GeneratedBytes.of(key).first(MIB), HeaderList.EMPTY);
        }
        ExecutorService pool = Executors.newFixedThreadPool(READERS);
        try {
            List<Callable<Integer>> readers = IntStream.range(0, READERS)
                    .mapToObj(n -> (Callable<Integer>) () -> readAround(keys, new Random(n)))
                    .toList();
            int requests = 0;
            for (Future<Integer> reader : pool.invokeAll(readers)) {
                requests += reader.get();
            }
            assertThat(requests).isEqualTo(READERS * 15);
        } finally {
            pool.shutdown();
        }
    }

    private int readAround(List<String> keys, Random random) throws IOException {
        int requests = 0;
        try (RawClient client = new RawClient(gateway().port())) {
            client.socket().setSoTimeout(60_000);
            for (int i = 0; i < 3; i++) {
                String key = keys.get(random.nextInt(keys.size()));
                String target = RawResponse.path(bucket(), key);
                int first = random.nextInt(MIB);
                int last = first + random.nextInt(MIB - first);
                String range = "range: bytes=%d-%d".formatted(first, last);

                assertBytes(client.send(wire().request("GET", target)), key, 0, MIB);
                assertBytes(client.send(wire().request("GET", target, range)), key, first, last - first + 1);
                assertBytes(client.send(wire().request("GET", target, "range: bytes=-99")), key, MIB - 99, 99);
                assertThat(client.send(wire().request("HEAD", target)).headers())
                        .containsEntry("content-length", Integer.toString(MIB));
                assertThat(client.send(wire().request("GET", target + "-not")).status())
                        .isEqualTo(404);
                requests += 5;
            }
        }
        return requests;
    }

    private static void assertBytes(RawClient.Response response, String key, int first, int length) {
        assertThat(Arrays.equals(response.bytes(), GeneratedBytes.of(key).slice(first, length)))
                .as("%d bytes from %d of %s, status %d", length, first, key, response.status())
                .isTrue();
    }
}
