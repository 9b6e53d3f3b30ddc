package io.millrace.gateway.objects.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Subscription;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Tests that the latency of a backend is its own. */
@ExtendWith(BufferLeakExtension.class)
class MeteredBackendTest {
    private static final BucketName BUCKET = new BucketName("bucket");

    private final AtomicLong now = new AtomicLong();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final BackendFailureTracker failures = new BackendFailureTracker(
            (backend, bucket) -> Optional.empty(),
            WarningLimiter.to(LoggerFactory.getLogger(MeteredBackendTest.class)));

    @Test
    void waitForTheBodyOfAWriteIsNotTheBackends() {
        InMemoryBackend memory = new InMemoryBackend(EnumSet.of(Capability.WRITE)).createBucket(BUCKET);
        Backend backend = new MeteredBackend("far", memory, registry, failures, now::get);
        Flux<ByteBuf> limited = Mono.fromCallable(() -> {
                    now.addAndGet(Duration.ofSeconds(47).toNanos());
                    return Unpooled.wrappedBuffer(new byte[3]);
                })
                .flux();
        NewObject object =
                new NewObject(new ObjectRef(BUCKET, new ObjectKey("k")), HeaderList.EMPTY, WriteCondition.ALWAYS);

        backend.put(object, UploadBody.of(3, limited)).block(Duration.ofSeconds(20));

        assertThat(BackendCallTotals.of(registry)
                        .since(new BackendCallTotals(Map.of()), "far")
                        .meanMicros())
                .hasValue(0);
    }

    @Test
    void onlyWhatIsWantedIsWaitedFor() {
        SourceWait wait = new SourceWait(now::get);
        Sinks.Many<ByteBuf> source = Sinks.many().unicast().onBackpressureBuffer();
        BaseSubscriber<ByteBuf> sender = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                // Requests by hand.
            }

            @Override
            protected void hookOnNext(ByteBuf piece) {
                piece.release();
            }
        };
        wait.of(source.asFlux()).subscribe(sender);
        now.addAndGet(100);
        sender.request(1);
        now.addAndGet(30);
        assertThat(wait.nanos()).isEqualTo(30);

        source.tryEmitNext(Unpooled.wrappedBuffer(new byte[1]));
        now.addAndGet(1000);
        sender.request(1);
        now.addAndGet(5);
        source.tryEmitComplete();
        now.addAndGet(50);

        assertThat(wait.nanos()).isEqualTo(35);
    }
}
