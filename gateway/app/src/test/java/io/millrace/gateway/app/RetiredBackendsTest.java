package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.backend.resilience.ResilientBackend;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.config.SettingsVariant;
import io.millrace.gateway.objects.monitor.BackendFailureTracker;
import io.millrace.gateway.objects.monitor.MeteredBackend;
import io.millrace.gateway.objects.monitor.WarningLimiter;
import io.millrace.gateway.s3.observe.RequestsInFlight;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Tests that a backend of earlier settings is closed once, and not before its last request and call have ended. */
class RetiredBackendsTest {
    private static final ObjectRef OBJECT = new ObjectRef(new BucketName("data"), new ObjectKey("key"));

    private final AtomicInteger closed = new AtomicInteger();
    private final RequestsInFlight requests = new RequestsInFlight();
    private final InMemoryBackend stored = new InMemoryBackend();
    private final OpenBackend backend = open();
    private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
    private final RetiredBackends retired = new RetiredBackends(time);

    @AfterEach
    void stop() {
        retired.close();
    }

    @Test
    void anUnusedBackendIsClosedAfterAWhile() {
        retired.add(List.of(backend), requests);

        check(9);
        assertThat(closed).hasValue(0);
        check(20);
        assertThat(closed).hasValue(1);
    }

    @Test
    void aRequestOfAnEarlierSnapshotKeepsTheBackendOpen() {
        requests.started();
        retired.add(List.of(), requests);
        retired.add(List.of(backend), new RequestsInFlight());

        check(100);

        assertThat(closed).hasValue(0);
    }

    @Test
    void aBodyThatIsReadKeepsTheBackendOpen() {
        stored.store(OBJECT, new byte[100_000], HeaderList.EMPTY);
        retired.add(List.of(backend), requests);
        Disposable reader = backend.backend()
                .open(ReadRequest.of(OBJECT))
                .flatMapMany(ObjectContent::body)
                .subscribe();

        check(100);
        assertThat(closed).hasValue(0);
        reader.dispose();
        check(20);
        assertThat(closed).hasValue(1);
    }

    @Test
    void aStopClosesAllAtOnce() {
        requests.started();
        retired.add(List.of(backend), requests);

        retired.close();

        assertThat(closed).hasValue(1);
    }

    /** Lets the time of so many checks pass. */
    private void check(int times) {
        time.advanceTimeBy(Duration.ofSeconds(times));
    }

    private OpenBackend open() {
        Backend counted = new PassingBackend(stored) {
            @Override
            public Mono<ObjectContent> open(ReadRequest request) {
                return super.open(request)
                        .map(content -> new ObjectContent(content.head(), content.range(), Flux.never()));
            }

            @Override
            public Mono<Void> close() {
                return Mono.fromRunnable(closed::incrementAndGet);
            }
        };
        MeteredBackend metered = new MeteredBackend(
                "near",
                counted,
                new SimpleMeterRegistry(),
                new BackendFailureTracker(
                        (name, bucket) -> Optional.empty(),
                        WarningLimiter.to(LoggerFactory.getLogger(RetiredBackendsTest.class))));
        return new OpenBackend(
                "near",
                new SettingsVariant("file", ResilienceSettings.DEFAULTS),
                new ResilientBackend("near", metered, ResilienceSettings.DEFAULTS),
                metered);
    }
}
