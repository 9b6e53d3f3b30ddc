package io.millrace.gateway.objects.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.ScriptedBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.error.S3Exception;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A list of buckets joins the lists of several backends, and a failed backend costs the clients of others little. */
class BucketRegistryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final List<BucketSettings> entries = new ArrayList<>();
    private final Map<String, Backend> backends = new LinkedHashMap<>();

    @Test
    void deadBackendsDelayOnceAndHideOnlyTheirBuckets() {
        add("named", "alive", listing(Mono.just(buckets("other"))));
        Queue<String> events = new ConcurrentLinkedQueue<>();
        Mono<List<BucketInfo>> dead = Mono.<List<BucketInfo>>never()
                .doOnSubscribe(question -> events.add("requested"))
                .doOnCancel(() -> events.add("given up"));
        for (int i = 0; i < 20; i++) {
            add("dead" + i + "-*", "dead" + i, listing(dead));
        }
        add("down-*", "down", listing(Mono.error(new BackendException(FailureKind.UNAVAILABLE, "down"))));
        add("live-*", "alive", listing(Mono.just(buckets("live-2", "live-1", "beside"))));

        List<String> names = names();

        assertThat(names).containsExactly("live-1", "live-2", "named");
        assertThat(events.stream().limit(20))
                .as("all of them wait at the same time")
                .containsOnly("requested");
        assertThat(events).hasSize(40);
    }

    @Test
    void operatorsAreToldThatNoEntryFitsAName() {
        BucketRegistry none = new BucketRegistry(List.of(), Map.of(), BucketSavingsRegistry.free());

        S3Exception refused = catchThrowableOfType(S3Exception.class, () -> none.find(new BucketName("data")));

        assertThat(refused.code()).isEqualTo("NoSuchBucket");
        assertThat(refused.reason()).contains("no entry of buckets");
    }

    @Test
    void hangingBackendIsWaitedForBrieflyAndItsLastListIsUsed() {
        AtomicInteger requested = new AtomicInteger();
        Sinks.One<List<BucketInfo>> late = Sinks.one();
        Queue<Mono<List<BucketInfo>>> responses = new ConcurrentLinkedQueue<>(
                List.of(Mono.just(buckets("far-1")), Mono.never(), late.asMono(), Mono.just(buckets("far-3"))));
        add("far-*", "far", listing(Mono.defer(() -> {
            requested.incrementAndGet();
            return responses.remove();
        })));
        add("near", "near", listing(Mono.just(buckets())));
        // Long enough for two brief waits within one request, also if this process is stopped meanwhile.
        BucketRegistry registry = registry(Duration.ofSeconds(6));
        assertThat(names(registry)).containsExactly("far-1", "near");
        assertThat(names(registry)).as("after the whole wait").containsExactly("far-1", "near");

        assertThat(names(registry)).containsExactly("far-1", "near");
        assertThat(names(registry)).containsExactly("far-1", "near");

        assertThat(requested).as("brief waits, for one request").hasValue(3);
        late.tryEmitValue(buckets("far-2")).orThrow();
        assertThat(names(registry)).as("it hangs no longer").containsExactly("far-3", "near");
    }

    @Test
    void lastListIsUsedWhileABackendIsDown() {
        Queue<Mono<List<BucketInfo>>> responses = new ConcurrentLinkedQueue<>(List.of(
                Mono.just(buckets("far-1")),
                Mono.error(new BackendException(FailureKind.UNAVAILABLE, "down")),
                Mono.error(new BackendException(FailureKind.ACCESS_DENIED, "no right"))));
        add("far-*", "far", listing(Mono.defer(responses::remove)));
        add("near", "near", listing(Mono.just(buckets())));
        BucketRegistry registry = registry();
        assertThat(names(registry)).containsExactly("far-1", "near");

        assertThat(names(registry)).containsExactly("far-1", "near");
        assertThat(names(registry)).as("a right that was taken").containsExactly("near");
    }

    @Test
    void noListIsNotAnEmptyOne() {
        add("*", "down", listing(Mono.error(new BackendException(FailureKind.THROTTLED, "busy"))));

        assertThatThrownBy(this::names)
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(FailureKind.THROTTLED));
    }

    @Test
    void aBackendWithoutBucketsHasAnEmptyList() {
        add("*", "empty", listing(Mono.just(buckets())));

        assertThat(names()).isEmpty();
    }

    @Test
    void backendIsQueriedOnceForAllItsPatterns() {
        AtomicInteger requested = new AtomicInteger();
        Backend backend = listing(Mono.fromSupplier(() -> {
            requested.incrementAndGet();
            return buckets("a-1", "b-1", "c-1");
        }));
        add("a-*", "one", backend);
        add("b-*", "one", backend);

        assertThat(names()).containsExactly("a-1", "b-1");
        assertThat(requested).hasValue(1);
    }

    @Test
    void earlierEntryPrecedesALaterPattern() {
        add("a-1", "one", listing(Mono.just(buckets())));
        add("a-*", "two", listing(Mono.just(buckets("a-2"))));
        add("*", "three", listing(Mono.just(buckets("a-1", "a-2", "a-3", "b-1"))));

        assertThat(names()).containsExactly("a-1", "a-2", "b-1");
    }

    private List<String> names() {
        return names(registry());
    }

    private BucketRegistry registry() {
        return registry(PATIENCE);
    }

    private BucketRegistry registry(Duration patience) {
        return new BucketRegistry(entries, backends, BucketSavingsRegistry.free(), patience);
    }

    private static List<String> names(BucketRegistry registry) {
        List<BucketInfo> found = registry.listAll(name -> true).block(Duration.ofSeconds(60));
        return found == null
                ? List.of()
                : found.stream().map(info -> info.name().value()).toList();
    }

    private void add(String pattern, String backend, Backend instance) {
        backends.put(backend, instance);
        entries.add(BucketViews.settings(pattern, backend, Optional.empty(), ""));
    }

    private static Backend listing(Mono<List<BucketInfo>> response) {
        return ScriptedBackend.over(new InMemoryBackend()).listingBuckets(response);
    }

    private static List<BucketInfo> buckets(String... names) {
        return List.of(names).stream()
                .map(name -> new BucketInfo(new BucketName(name), Optional.empty()))
                .toList();
    }
}
