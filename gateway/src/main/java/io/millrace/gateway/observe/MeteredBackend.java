package io.millrace.gateway.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.SelectedHead;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** A backend whose calls are counted: how many, how long to the head, how they ended, and the bytes that came. */
public final class MeteredBackend implements Backend {
    private final String name;
    private final Backend backend;
    private final MeterRegistry registry;
    private final Counter bytesIn;
    private final ConcurrentMap<Call, Timer> timers = new ConcurrentHashMap<>();

    private record Call(String operation, String outcome) {}

    /**
     * @param name the operator's name for it
     */
    public MeteredBackend(String name, Backend backend, MeterRegistry registry) {
        this.name = name;
        this.backend = backend;
        this.registry = registry;
        this.bytesIn = Counter.builder(Meter.BACKEND_BYTES_IN.wireName())
                .description(Meter.BACKEND_BYTES_IN.description())
                .baseUnit("bytes")
                .tag("backend", name)
                .register(registry);
    }

    @Override
    public Mono<SelectedHead> head(ReadRequest request) {
        return timed("head", backend.head(request));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return timed("open", backend.open(request)).map(this::counted);
    }

    @Override
    public Mono<ListPage> list(ListRequest request) {
        return timed("list", backend.list(request));
    }

    @Override
    public Mono<List<BucketInfo>> buckets() {
        return timed("buckets", backend.buckets());
    }

    @Override
    public Mono<BucketInfo> bucket(BucketName bucket) {
        return timed("bucket", backend.bucket(bucket));
    }

    @Override
    public Set<Capability> capabilities() {
        return backend.capabilities();
    }

    @Override
    public Mono<Void> close() {
        return backend.close();
    }

    private ObjectContent counted(ObjectContent content) {
        return new ObjectContent(
                content.head(),
                content.range(),
                content.body().doOnNext(piece -> bytesIn.increment(piece.readableBytes())));
    }

    private <T> Mono<T> timed(String operation, Mono<T> call) {
        return Mono.defer(() -> {
            long start = System.nanoTime();
            return call.doOnSuccess(answer -> record(operation, "ok", start))
                    .doOnError(failure -> record(operation, outcome(failure), start))
                    .doOnCancel(() -> record(operation, "cancelled", start));
        });
    }

    private void record(String operation, String outcome, long start) {
        timers.computeIfAbsent(new Call(operation, outcome), this::timer)
                .record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
    }

    private Timer timer(Call call) {
        return Timer.builder(Meter.BACKEND_CALL.wireName())
                .description(Meter.BACKEND_CALL.description())
                .tag("backend", name)
                .tag("operation", call.operation())
                .tag("outcome", call.outcome())
                .register(registry);
    }

    private static String outcome(Throwable failure) {
        return failure instanceof BackendException known ? known.kind().name().toLowerCase(Locale.ROOT) : "unexpected";
    }
}
