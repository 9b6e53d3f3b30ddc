package io.millrace.backend.testkit;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.BucketWriter.NewBucket;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.SelectedHead;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.testkit.FaultPlan.Call;
import io.millrace.backend.testkit.FaultPlan.Operation;
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

/**
 * Another backend in trouble, as a {@link FaultPlan} says, and a count of what was asked of it. Safe for use by any number of threads.
 */
public final class FaultyBackend implements Backend {
    private final Backend inner;
    private volatile FaultPlan plan;
    private final Map<Operation, AtomicLong> calls = new EnumMap<>(Operation.class);
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong openBodies = new AtomicLong();

    /** The backend behind answers what does not go wrong. */
    public FaultyBackend(Backend inner, FaultPlan plan) {
        this.inner = inner;
        this.plan = plan;
        for (Operation operation : Operation.values()) {
            calls.put(operation, new AtomicLong());
        }
    }

    /** From the next call on, this goes wrong instead. */
    public void plan(FaultPlan next) {
        plan = next;
    }

    /** Subscriptions to this operation, refused ones included. */
    public long calls(Operation operation) {
        return count(operation).get();
    }

    /** Bytes of bodies that were handed over. */
    public long bytes() {
        return bytes.get();
    }

    /** Contents that were handed over and whose body neither ended nor was given up. */
    public long openBodies() {
        return openBodies.get();
    }

    @Override
    public Mono<SelectedHead> head(ReadRequest request) {
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
    public Mono<ListPage> list(ListRequest request) {
        return call(Operation.LIST, inner.list(request), fault -> UnaryOperator.identity());
    }

    @Override
    public Mono<List<BucketInfo>> buckets() {
        return call(Operation.BUCKETS, inner.buckets(), fault -> UnaryOperator.identity());
    }

    @Override
    public Mono<BucketInfo> bucket(BucketName name) {
        return call(Operation.BUCKET, inner.bucket(name), fault -> UnaryOperator.identity());
    }

    @Override
    public Mono<Written> put(NewObject object, UploadBody body) {
        return write(Operation.PUT, inner.put(object, body));
    }

    @Override
    public Mono<Written> copy(CopySource source, NewObject target) {
        return write(Operation.COPY, inner.copy(source, target));
    }

    @Override
    public Mono<Deleted> delete(Deletion deletion, HeaderList headers) {
        return write(Operation.DELETE, inner.delete(deletion, headers));
    }

    @Override
    public Mono<Begun> createUpload(NewObject object) {
        return write(Operation.CREATE_UPLOAD, inner.createUpload(object));
    }

    @Override
    public Mono<StoredPart> putPart(Upload upload, int number, HeaderList headers, UploadBody body) {
        return write(Operation.PUT_PART, inner.putPart(upload, number, headers, body));
    }

    @Override
    public Mono<StoredPart> copyPart(
            Upload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return write(Operation.COPY_PART, inner.copyPart(upload, number, source, range, headers));
    }

    @Override
    public Mono<Written> completeUpload(
            Upload upload, List<NamedPart> parts, HeaderList headers, WriteCondition condition) {
        return write(Operation.COMPLETE_UPLOAD, inner.completeUpload(upload, parts, headers, condition));
    }

    @Override
    public Mono<Void> abortUpload(Upload upload, HeaderList headers) {
        return write(Operation.ABORT_UPLOAD, inner.abortUpload(upload, HeaderList.EMPTY));
    }

    @Override
    public Mono<PartPage> listParts(Upload upload, int after, int maxParts) {
        return call(Operation.LIST, inner.listParts(upload, after, maxParts), fault -> UnaryOperator.identity());
    }

    @Override
    public Mono<UploadPage> listUploads(UploadQuery query) {
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

    private <T> Mono<T> call(Operation operation, Mono<T> answer, Function<Fault, UnaryOperator<T>> distortion) {
        return Mono.defer(() -> {
            Fault fault = plan.next(new Call(operation, count(operation).getAndIncrement()));
            return HeadFaults.delayed(fault, answer).map(distortion.apply(fault));
        });
    }

    private <T> Mono<T> write(Operation operation, Mono<T> acknowledgement) {
        return Mono.defer(() -> {
            Fault fault = plan.next(new Call(operation, count(operation).getAndIncrement()));
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
