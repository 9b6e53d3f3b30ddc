package io.millrace.gateway.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.policy.RequestSource;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.RequestForwarder;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class CorsRuleCacheTest {
    private static final int BROWSERS = 40;
    private static final int GUESSES = 1_000;
    /** More than are counted at a time. */
    private static final int NETWORKS = 12_000;

    /** So long that no fetch ends by it. */
    private static final Duration FETCH_TIMEOUT = Duration.ofMinutes(1);

    private static final long NETWORK = 1;
    private static final long OTHER_NETWORK = 2;
    private static final Set<Thread.State> AT_REST =
            EnumSet.of(Thread.State.BLOCKED, Thread.State.WAITING, Thread.State.TERMINATED);
    private static final PreflightRequest PREFLIGHT = new PreflightRequest("https://lab.example.org", "GET", List.of());

    private final CountDownLatch released = new CountDownLatch(1);
    private final AtomicInteger fetches = new AtomicInteger();
    private final Sinks.Empty<RequestForwarder.ForwardResponse> told = Sinks.empty();

    /** Each thread goes as far as it can before any fetch ends. */
    @Test
    @Timeout(120)
    void concurrentFetchesAreBounded() throws InterruptedException {
        CorsRuleCache cache = cache(
                new HangingBackend(),
                IntStream.range(0, BROWSERS)
                        .mapToObj(number -> "bucket-" + number)
                        .toArray(String[]::new));
        List<Thread> browsers = IntStream.range(0, BROWSERS)
                .mapToObj(number -> new Thread(() -> preflight(cache, "bucket-" + number)))
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

    /** Nobody can make the backend be asked for any number of names. */
    @Test
    void preflightsOfANetworkToBucketsOfPatternsShareARate() {
        CorsRuleCache cache = cache(new LackingBackend(), "known", "*");

        for (int i = 0; i < GUESSES; i++) {
            preflight(cache, "guess-" + i);
        }

        int asked = fetches.get();
        assertThat(asked).isBetween(10, GUESSES / 2);
        preflight(cache, "guess-0");
        assertThat(fetches).as("an absence is remembered").hasValue(asked);
        preflight(cache, "known");
        assertThat(fetches).as("the settings know it").hasValue(asked + 1);
        assertThat(cache.fieldsFor(request("/used/key")).block()).isEqualTo(HeaderList.EMPTY);
        assertThat(fetches).as("who may use it has asked for it").hasValue(asked + 2);
    }

    /** Nobody takes the rules from the browsers of others. */
    @Test
    void floodOfPreflightsLeavesThoseOfOtherNetworksTheirs() {
        CorsRuleCache cache = cache(new LackingBackend(), "*");
        for (int i = 0; i < GUESSES; i++) {
            preflight(cache, "guess-" + i);
        }

        int asked = fetches.get();
        preflight(cache, "browsed", OTHER_NETWORK);

        assertThat(fetches).hasValue(asked + 1);
    }

    @Test
    void guessesThatHangLeaveNamedBucketsTheirRules() {
        CorsRuleCache cache = cache(new SilentBackend(), "known", "*");
        for (int i = 0; i < BROWSERS; i++) {
            preflight(cache, "guess-" + i, i);
        }

        assertThat(fetches).hasValue(8);
        preflight(cache, "known");
        assertThat(fetches).as("the settings know it").hasValue(9);
        cache.fieldsFor(request("/used/key")).subscribe();
        assertThat(fetches).as("its request has passed the gate").hasValue(10);
    }

    @Test
    void guessesThatGetNoPermitAreNotCharged() {
        CorsRuleCache cache = cache(new SilentBackend(), "*");
        for (int i = 0; i < BROWSERS; i++) {
            preflight(cache, "guess-" + i);
        }
        assertThat(fetches).hasValue(8);

        told.tryEmitEmpty();
        preflight(cache, "next");

        assertThat(fetches).as("of the ten of a second, eight are used").hasValue(9);
    }

    /** Also if they are so many that the first are forgotten. */
    @Test
    void preflightsOfAllNetworksShareARateToo() {
        CorsRuleCache cache = cache(new LackingBackend(), "*");
        for (int i = 0; i < NETWORKS; i++) {
            preflight(cache, "guess-" + i, i);
        }

        assertThat(fetches.get()).isBetween(100, NETWORKS / 2);
    }

    private static CorsRuleCache cache(Backend backend, String... buckets) {
        BucketRegistry registry = new BucketRegistry(
                Stream.of(buckets)
                        .map(bucket -> BucketViews.settings(bucket, "backend", Optional.empty(), ""))
                        .toList(),
                Map.of("backend", backend),
                BucketSavingsRegistry.free());
        return new CorsRuleCache(registry, FETCH_TIMEOUT);
    }

    private static void preflight(CorsRuleCache cache, String bucket) {
        preflight(cache, bucket, NETWORK);
    }

    private static void preflight(CorsRuleCache cache, String bucket, long network) {
        cache.preflight(new BucketName(bucket), PREFLIGHT, network)
                .onErrorComplete()
                .subscribe();
    }

    private static S3Request request(String target) {
        RequestHeaders headers = new RequestHeaders() {
            @Override
            public List<String> all(String name) {
                return name.equals("origin") ? List.of("https://lab.example.org") : List.of();
            }

            @Override
            public List<String> names() {
                return List.of("origin");
            }
        };
        return new S3Request(
                "GET",
                RequestTarget.parse(target, Optional.empty()),
                headers,
                UnverifiedRequestBody.NONE,
                "id",
                RequestSource.INTERNAL);
    }

    /** Has no bucket, and says so at once. */
    private final class LackingBackend extends PassingBackend {
        LackingBackend() {
            super(new InMemoryBackend());
        }

        @Override
        public Mono<ForwardResponse> forward(ForwardRequest request) {
            return Mono.error(() -> {
                fetches.incrementAndGet();
                return new BackendException(BackendException.FailureKind.NO_SUCH_BUCKET, "there is none");
            });
        }

        @Override
        public Set<Capability> capabilities() {
            return forwardingCapabilities();
        }
    }

    /** Answers when it is told to. */
    private final class SilentBackend extends PassingBackend {
        SilentBackend() {
            super(new InMemoryBackend());
        }

        @Override
        public Mono<ForwardResponse> forward(ForwardRequest request) {
            fetches.incrementAndGet();
            return told.asMono();
        }

        @Override
        public Set<Capability> capabilities() {
            return forwardingCapabilities();
        }
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
