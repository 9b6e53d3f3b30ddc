package io.millrace.backend.testkit.fault;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.fault.FaultPlan.Call;
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.netty.buffer.ByteBuf;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A backend that wraps another one, injects the faults of a {@link FaultPlan} and counts calls. Thread-safe. */
public final class FaultyBackend implements Backend {
    private final Backend inner;
    private volatile FaultPlan plan;
    private final Map<Operation, AtomicLong> calls = new EnumMap<>(Operation.class);
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong openBodies = new AtomicLong();

    /** Wraps a backend. */
    public FaultyBackend(Backend inner, FaultPlan plan) {
        this.inner = inner;
        this.plan = plan;
        for (Operation operation : Operation.values()) {
            calls.put(operation, new AtomicLong());
        }
    }

    /** Replaces the plan from the next call on. */
    public void plan(FaultPlan next) {
        plan = next;
    }

    /** Returns the number of subscriptions to this operation, failed ones included. */
    public long calls(Operation operation) {
        return count(operation).get();
    }

    /** Returns the bytes of bodies that were delivered. */
    public long bytes() {
        return bytes.get();
    }

    /** Returns the number of contents whose body has neither ended nor been cancelled. */
    public long openBodies() {
        return openBodies.get();
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return call(Operation.HEAD, inner.head(request), HeadFaults::ofHead);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return call(
                Operation.OPEN,
                inner.open(request),
                fault -> content -> counted(BodyFaults.of(fault, HeadFaults.ofContent(fault, content))));
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return call(Operation.LIST, inner.listObjects(request), fault -> UnaryOperator.identity());
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return call(Operation.BUCKETS, inner.listBuckets(), fault -> UnaryOperator.identity());
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return call(Operation.BUCKET, inner.headBucket(name), fault -> UnaryOperator.identity());
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return write(Operation.PUT, inner.put(object, body));
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return write(Operation.COPY, inner.copy(source, target));
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return write(Operation.DELETE, inner.delete(deletion, headers));
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return write(Operation.CREATE_UPLOAD, inner.createUpload(object));
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return write(Operation.PUT_PART, inner.putPart(upload, number, headers, body));
    }

    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return write(Operation.COPY_PART, inner.copyPart(upload, number, source, range, headers));
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        return write(Operation.COMPLETE_UPLOAD, inner.completeUpload(upload, parts, headers, condition));
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return write(Operation.ABORT_UPLOAD, inner.abortUpload(upload, HeaderList.EMPTY));
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return call(Operation.LIST, inner.listParts(upload, after, maxParts), fault -> UnaryOperator.identity());
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return call(Operation.LIST, inner.listUploads(query), fault -> UnaryOperator.identity());
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return write(Operation.CREATE_BUCKET, inner.createBucket(bucket));
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return write(Operation.DELETE_BUCKET, inner.deleteBucket(bucket));
    }

    @Override
    public Set<Capability> capabilities() {
        return inner.capabilities();
    }

    @Override
    public Mono<Void> close() {
        return inner.close();
    }

    private <T> Mono<T> call(
            Operation operation, Mono<T> response, Function<BackendFault, UnaryOperator<T>> distortion) {
        return Mono.defer(() -> {
            BackendFault fault = plan.next(new Call(operation, count(operation).getAndIncrement()));
            return HeadFaults.delayed(fault, response).map(distortion.apply(fault));
        });
    }

    private <T> Mono<T> write(Operation operation, Mono<T> acknowledgement) {
        return Mono.defer(() -> {
            BackendFault fault = plan.next(new Call(operation, count(operation).getAndIncrement()));
            return HeadFaults.delayed(fault, HeadFaults.acknowledged(fault, acknowledgement));
        });
    }

    private ObjectContent counted(ObjectContent content) {
        openBodies.incrementAndGet();
        AtomicBoolean ended = new AtomicBoolean();
        Flux<ByteBuf> body = content.body()
                .doOnNext(piece -> bytes.addAndGet(piece.readableBytes()))
                .doFinally(signal -> {
                    if (ended.compareAndSet(false, true)) {
                        openBodies.decrementAndGet();
                    }
                });
        return new ObjectContent(content.head(), content.range(), body);
    }

    private AtomicLong count(Operation operation) {
        return Objects.requireNonNull(calls.get(operation));
    }
}
