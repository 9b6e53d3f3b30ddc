package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.CreatedUpload;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.DeleteResult;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadResponseCheck;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardResponse;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.VersionLister.ListVersionsRequest;
import io.millrace.backend.spi.VersionLister.VersionPage;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
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
 * A {@link Backend} decorator that meters the calls, their latency and outcome, and the transferred bytes. A response to a
 * read that does not fit its request is a failure, and counts as one.
 */
public final class MeteredBackend implements Backend {
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
    private final ConcurrentMap<Call, Timer> timers = new ConcurrentHashMap<>();

    private record Call(String operation, String outcome) {}

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
                "head",
                Optional.of(request.object().bucket()),
                backend.head(request).map(response -> ReadResponseCheck.check(request, response)));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        BucketName bucket = request.object().bucket();
        Mono<ObjectContent> opened = backend.open(request).map(content -> ReadResponseCheck.check(request, content));
        return timed("open", Optional.of(bucket), opened).map(content -> counted(bucket, content));
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return timed("list", Optional.of(request.bucket()), backend.listObjects(request));
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return timed("buckets", Optional.empty(), backend.listBuckets());
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName bucket) {
        return timed("bucket", Optional.of(bucket), backend.headBucket(bucket));
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return writing("put", object.object().bucket(), body, counted -> backend.put(object, counted));
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return timed("copy", common(source, target.object()), backend.copy(source, target));
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return timed("delete", Optional.of(deletion.object().bucket()), backend.delete(deletion, headers));
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return timed("delete_all", Optional.of(bucket), backend.deleteAll(bucket, deletions, headers));
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return timed("create_upload", Optional.of(object.object().bucket()), backend.createUpload(object));
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return writing(
                "put_part",
                upload.object().bucket(),
                body,
                counted -> backend.putPart(upload, number, headers, counted));
    }

    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return timed(
                "copy_part", common(source, upload.object()), backend.copyPart(upload, number, source, range, headers));
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        return timed(
                "complete_upload",
                Optional.of(upload.object().bucket()),
                backend.completeUpload(upload, parts, headers, condition));
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return timed("abort_upload", Optional.of(upload.object().bucket()), backend.abortUpload(upload, headers));
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return timed("list_parts", Optional.of(upload.object().bucket()), backend.listParts(upload, after, maxParts));
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return timed("list_uploads", Optional.of(query.bucket()), backend.listUploads(query));
    }

    @Override
    public Mono<VersionPage> listVersions(ListVersionsRequest query) {
        return timed("list_versions", Optional.of(query.bucket()), backend.listVersions(query));
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return timed("create_bucket", Optional.of(bucket.name()), backend.createBucket(bucket));
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return timed("delete_bucket", Optional.of(bucket), backend.deleteBucket(bucket));
    }

    @Override
    public Mono<ForwardResponse> forward(ForwardRequest request) {
        return timed("forward", Optional.of(request.bucket()), backend.forward(request));
    }

    @Override
    public Mono<StreamingForwardResponse> forwardRead(ForwardRequest request) {
        BucketName bucket = request.bucket();
        return timed("forward", Optional.of(bucket), backend.forwardRead(request))
                .map(response -> new StreamingForwardResponse(
                        response.status(), response.headers(), response.length(), counted(bucket, response.body())));
    }

    @Override
    public Mono<ForwardResponse> forwardWrite(ForwardRequest request, UploadBody body) {
        return writing("forward", request.bucket(), body, counted -> backend.forwardWrite(request, counted));
    }

    @Override
    public Set<Capability> capabilities() {
        return backend.capabilities();
    }

    @Override
    public Mono<Void> close() {
        return backend.close();
    }

    /** Meters a write. A request body that fails or is not as announced is the sender's fault, not the backend's. */
    private <T> Mono<T> writing(
            String operation, BucketName bucket, UploadBody body, Function<UploadBody, Mono<T>> write) {
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
        failures.failed(name, Optional.of(bucket), "body", failure);
        return failure instanceof BackendException known ? named(known) : failure;
    }

    private Counter bytes(MeterName meter) {
        return Counter.builder(meter.wireName())
                .description(meter.description())
                .baseUnit("bytes")
                .tag("backend", name)
                .register(registry);
    }

    private <T> Mono<T> timed(String operation, Optional<BucketName> bucket, Mono<T> call) {
        return timed(operation, bucket, call, () -> false, () -> 0);
    }

    /**
     * @param isBodyBroken returns whether a failure is that of the request body
     * @param waited returns the nanoseconds for which the backend waited for that body, which do not count
     */
    private <T> Mono<T> timed(
            String operation,
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
                            failures.failed(name, bucket, operation, failure);
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

    private void record(String operation, String outcome, LongSupplier took) {
        timers.computeIfAbsent(new Call(operation, outcome), this::timer)
                .record(took.getAsLong(), TimeUnit.NANOSECONDS);
    }

    private Timer timer(Call call) {
        return Timer.builder(MeterName.BACKEND_CALL.wireName())
                .description(MeterName.BACKEND_CALL.description())
                .tag("backend", name)
                .tag("operation", call.operation())
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
