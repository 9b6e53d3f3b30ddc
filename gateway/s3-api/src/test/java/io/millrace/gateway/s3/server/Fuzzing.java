package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends fuzzed requests to a gateway over several connections, and checks what must hold for every input: no 5xx but
 * 501 and 505, a response or the end of the connection in time, and a server that still works.
 */
final class Fuzzing {
    /** The number of inputs per gateway, because a gateway under test keeps a record of every request. */
    private static final int INPUTS_OF_A_GATEWAY = 40_000;

    private static final int CONNECTIONS = 4;

    /** Signatures are part of the inputs: with the time of the day, no run would have those of another. */
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-11-20T10:00:00Z"));

    private static final int FAILURES_SHOWN = 5;

    private final Map<Integer, AtomicLong> histogram = new ConcurrentSkipListMap<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    /**
     * Sends the inputs of a seed.
     *
     * @return the number of responses by status
     */
    Map<Integer, AtomicLong> run(int inputs, long seed) throws IOException, InterruptedException {
        int left = inputs;
        for (long round = seed; left > 0; round += CONNECTIONS) {
            int now = Math.min(left, INPUTS_OF_A_GATEWAY);
            left -= now;
            try (TestGateway gateway = gateway()) {
                attack(gateway, now, round);
                assertThat(failures.stream().limit(FAILURES_SHOWN)).isEmpty();
                checkHealth(gateway);
            }
        }
        return histogram;
    }

    private void attack(TestGateway gateway, int inputs, long seed) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            long own = seed + i;
            Thread thread = new Thread(() -> send(gateway, inputs / CONNECTIONS, own), "fuzz-" + own);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void send(TestGateway gateway, int inputs, long seed) {
        FuzzedRequests requests = new FuzzedRequests(seed, caller(gateway));
        String[] input = {""};
        try (FuzzClient client = new FuzzClient(gateway.port(), status -> judge(status, seed, input[0]))) {
            for (int i = 0; i < inputs && failures.isEmpty(); i++) {
                input[0] = requests.next();
                client.send(input[0]);
            }
        } catch (IOException | RuntimeException e) {
            failures.add("seed %d: %s after %s".formatted(seed, e, LogSanitizer.escape(input[0])));
        }
    }

    private void judge(int status, long seed, String input) {
        histogram.computeIfAbsent(status, s -> new AtomicLong()).incrementAndGet();
        if (status >= 500 && status != 501 && status != 505) {
            failures.add("seed %d: %d for %s".formatted(seed, status, LogSanitizer.escape(input)));
        }
    }

    private static void checkHealth(TestGateway gateway) throws IOException {
        SigningClient caller = caller(gateway);
        RawClient.Response control = caller.get("/closed/key");

        assertThat(control.status()).isEqualTo(200);
        assertThat(control.text()).isEqualTo("content of key");
        Polling.until("all requests have ended", () -> gateway.inFlight() == 0);
    }

    private static TestGateway gateway() {
        InMemoryBackend backend = new InMemoryBackend();
        for (String bucket : List.of("open", "closed")) {
            for (String key : List.of("key", "a/b", "a/b/c", "a+b", "x y", "\u00e4")) {
                store(backend, bucket, key, ("content of " + key).getBytes(StandardCharsets.UTF_8));
            }
            store(backend, bucket, "large", new byte[300_000]);
        }
        return TestGateway.builder()
                .bucket("open", backend, "", "read,list")
                .bucket("*", backend)
                .clock(CLOCK)
                .start();
    }

    private static SigningClient caller(TestGateway gateway) {
        return SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY)
                .at(CLOCK);
    }

    private static void store(InMemoryBackend backend, String bucket, String key, byte[] content) {
        backend.store(new ObjectRef(new BucketName(bucket), new ObjectKey(key)), content, HeaderList.EMPTY);
    }
}
