package io.millrace.gateway.s3.cors;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.PassingBackend;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.savings.BucketSavingsRegistry;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

class CorsRuleCacheTest {
    private static final int BROWSERS = 40;
    private static final Set<Thread.State> AT_REST =
            EnumSet.of(Thread.State.BLOCKED, Thread.State.WAITING, Thread.State.TERMINATED);
    private static final PreflightRequest PREFLIGHT = new PreflightRequest("https://lab.example.org", "GET", List.of());

    private final CountDownLatch released = new CountDownLatch(1);
    private final AtomicInteger fetches = new AtomicInteger();
    private final CorsRuleCache cache = new CorsRuleCache(new BucketRegistry(
            List.of(BucketViews.settings("*", "backend", Optional.empty(), "")),
            Map.of("backend", new HangingBackend()),
            BucketSavingsRegistry.free()));

    /** Each thread goes as far as it can before any fetch ends. */
    @Test
    @Timeout(120)
    void concurrentFetchesAreBounded() throws InterruptedException {
        List<Thread> browsers = IntStream.range(0, BROWSERS)
                .mapToObj(number -> new Thread(() -> preflight("bucket-" + number)))
                .toList();

        browsers.forEach(Thread::start);
        Polling.until(
                "all wait or have ended",
                () -> browsers.stream().map(Thread::getState).allMatch(AT_REST::contains));
        released.countDown();
        for (Thread browser : browsers) {
            browser.join();
        }

        assertThat(fetches).hasValue(16);
    }

    private void preflight(String bucket) {
        cache.preflight(new BucketName(bucket), PREFLIGHT).onErrorComplete().subscribe();
    }

    /** Never tells the rules, and returns only when it is released. */
    private final class HangingBackend extends PassingBackend {
        HangingBackend() {
            super(new InMemoryBackend());
        }

        @Override
        public Mono<ForwardResponse> forward(ForwardRequest request) {
            fetches.incrementAndGet();
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Mono.never();
        }

        @Override
        public Set<Capability> capabilities() {
            return forwardingCapabilities();
        }
    }
}
