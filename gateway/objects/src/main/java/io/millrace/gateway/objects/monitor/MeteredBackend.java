package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendCall;
import io.millrace.backend.spi.BackendCall.Operation;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.JoinedBackend;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadResponseCheck;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardResponse;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A {@link Backend} decorator that meters the calls, their latency and outcome, and the transferred bytes. A response
 * to a read that does not fit its request is a failure, and counts as one.
 */
public final class MeteredBackend extends JoinedBackend {
    /** The outcome of a call that the caller cancelled. */
    static final String CANCELLED = "cancelled";

    /** The outcome of a call that failed for a reason no backend should have. */
    static final String UNEXPECTED = "unexpected";

    /** The outcome of a write whose request body failed or was not as announced. */
    static final String BODY_BROKEN = "body_broken";

    /** The histogram bounds: from a server next door to a request that has waited for a retry. */
    private static final Duration[] BOUNDS = IntStream.of(
                    2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final String name;
    private final Backend backend;
    private final MeterRegistry registry;
    private final BackendFailureTracker failures;
    private final LongSupplier nanoTime;
    private final Counter bytesIn;
    private final Counter bytesOut;
    private final LongAdder underWay = new LongAdder();
    private final ConcurrentMap<Measured, Timer> timers = new ConcurrentHashMap<>();

    private record Measured(Operation operation, String outcome) {}

    /**
     * @param name the backend's name in the settings
     * @param failures receives the failures of this backend
     */
    public MeteredBackend(String name, Backend backend, MeterRegistry registry, BackendFailureTracker failures) {
        this(name, backend, registry, failures, System::nanoTime);
    }

    MeteredBackend(
            String name,
            Backend backend,
            MeterRegistry registry,
            BackendFailureTracker failures,
            LongSupplier nanoTime) {
        super(Roles.of(backend));
        this.name = name;
        this.backend = backend;
        this.registry = registry;
        this.failures = failures;
        this.nanoTime = nanoTime;
        this.bytesIn = bytes(MeterName.BACKEND_BYTES_IN);
        this.bytesOut = bytes(MeterName.BACKEND_BYTES_OUT);
    }

    /** Returns whether no call is under way and no body is being read. */
    public boolean isIdle() {
        return underWay.sum() == 0;
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return timed(
                Operation.HEAD,
                Optional.of(request.object().bucket()),
                backend.head(request).map(response -> ReadResponseCheck.check(request, response)));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        BucketName bucket = request.object().bucket();
        Mono<ObjectContent> opened = backend.open(request).map(content -> ReadResponseCheck.check(request, content));
        return timed(Operation.OPEN, Optional.of(bucket), opened).map(content -> counted(bucket, content));
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return writing(Operation.PUT, object.object().bucket(), body, counted -> backend.put(object, counted));
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return timed(Operation.COPY, common(source, target.object()), backend.copy(source, target));
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return writing(
                Operation.PUT_PART,
                upload.object().bucket(),
                body,
                counted -> backend.putPart(upload, number, headers, counted));
    }

    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return timed(
                Operation.COPY_PART,
                common(source, upload.object()),
                backend.copyPart(upload, number, source, range, headers));
    }

    @Override
    public Mono<StreamingForwardResponse> forwardRead(ForwardRequest request) {
        BucketName bucket = request.bucket();
        return timed(Operation.FORWARD, Optional.of(bucket), backend.forwardRead(request))
                .map(response -> new StreamingForwardResponse(
                        response.status(), response.headers(), response.length(), counted(bucket, response.body())));
    }

    @Override
    public Mono<ForwardResponse> forwardWrite(ForwardRequest request, UploadBody body) {
        return writing(Operation.FORWARD, request.bucket(), body, counted -> backend.forwardWrite(request, counted));
    }

    @Override
    public Set<Capability> capabilities() {
        return backend.capabilities();
    }

    @Override
    public BackendRemedies remedies() {
        return backend.remedies();
    }

    @Override
    public Mono<Void> close() {
        return backend.close();
    }

    /** Meters a write. A request body that fails or is not as announced is the sender's fault, not the backend's. */
    private <T> Mono<T> writing(
            Operation operation, BucketName bucket, UploadBody body, Function<UploadBody, Mono<T>> write) {
        return Mono.defer(() -> {
            AtomicBoolean broken = new AtomicBoolean();
            SourceWait wait = new SourceWait(nanoTime);
            UploadBody counted = new UploadBody(
                    body.length(),
                    wait.of(body.pieces())
                            .doOnNext(piece -> bytesOut.increment(piece.readableBytes()))
                            .doOnError(failure -> broken.set(true)),
                    body.trailer());
            return timed(operation, Optional.of(bucket), write.apply(counted), broken::get, wait::nanos);
        });
    }

    /** Returns the bucket of source and target; empty if they differ, because a failure may concern either. */
    private static Optional<BucketName> common(CopySource source, ObjectRef target) {
        return Optional.of(target.bucket()).filter(source.object().bucket()::equals);
    }

    private ObjectContent counted(BucketName bucket, ObjectContent content) {
        return new ObjectContent(content.head(), content.range(), counted(bucket, content.body()));
    }

    private Flux<ByteBuf> counted(BucketName bucket, Flux<ByteBuf> body) {
        return body.doOnSubscribe(reader -> underWay.increment())
                .doOnNext(piece -> bytesIn.increment(piece.readableBytes()))
                .onErrorMap(failure -> bodyFailed(bucket, failure))
                .doFinally(end -> underWay.decrement());
    }

    private Throwable bodyFailed(BucketName bucket, Throwable failure) {
        failures.failed(name, backend.remedies(), Optional.of(bucket), "body", failure);
        return failure instanceof BackendException known ? named(known) : failure;
    }

    private Counter bytes(MeterName meter) {
        return Counter.builder(meter.wireName())
                .description(meter.description())
                .baseUnit("bytes")
                .tag("backend", name)
                .register(registry);
    }

    private <T> Mono<T> timed(Operation operation, Optional<BucketName> bucket, Mono<T> call) {
        return timed(operation, bucket, call, () -> false, () -> 0);
    }

    @Override
    protected <T> Mono<T> around(BackendCall call, Mono<T> result) {
        return timed(call.operation(), call.bucket(), result);
    }

    /**
     * @param isBodyBroken returns whether a failure is that of the request body
     * @param waited returns the nanoseconds for which the backend waited for that body, which do not count
     */
    private <T> Mono<T> timed(
            Operation operation,
            Optional<BucketName> bucket,
            Mono<T> call,
            BooleanSupplier isBodyBroken,
            LongSupplier waited) {
        return Mono.defer(() -> {
            long begun = nanoTime.getAsLong();
            LongSupplier took = () -> nanoTime.getAsLong() - begun - waited.getAsLong();
            underWay.increment();
            return call.doOnSuccess(response -> record(operation, "ok", took))
                    .doOnError(failure -> {
                        if (isBodyBroken.getAsBoolean()) {
                            record(operation, BODY_BROKEN, took);
                        } else {
                            record(operation, outcome(failure), took);
                            failures.failed(name, backend.remedies(), bucket, operation.wireName(), failure);
                        }
                    })
                    .onErrorMap(
                            BackendException.class, failure -> isBodyBroken.getAsBoolean() ? failure : named(failure))
                    .doOnCancel(() -> record(operation, CANCELLED, took))
                    .doFinally(end -> underWay.decrement());
        });
    }

    /** Adds this backend's name, for logs and owners of jobs, unless the failure has passed through another backend. */
    private BackendException named(BackendException failure) {
        return failure.backend().isPresent() ? failure : failure.withBackend(name);
    }

    private void record(Operation operation, String outcome, LongSupplier took) {
        timers.computeIfAbsent(new Measured(operation, outcome), this::timer)
                .record(took.getAsLong(), TimeUnit.NANOSECONDS);
    }

    private Timer timer(Measured call) {
        return Timer.builder(MeterName.BACKEND_CALL.wireName())
                .description(MeterName.BACKEND_CALL.description())
                .tag("backend", name)
                .tag("operation", call.operation().wireName())
                .tag("outcome", call.outcome())
                .serviceLevelObjectives(BOUNDS)
                .register(registry);
    }

    private static String outcome(Throwable failure) {
        return failure instanceof BackendException known ? outcome(known.kind()) : UNEXPECTED;
    }

    /** Returns the outcome of a failed call. */
    static String outcome(BackendException.FailureKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
