package io.millrace.backend.resilience;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendCall;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.JoinedBackend;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.async.RateLimiter;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * A {@link Backend} decorator that bounds what a slow, throttling or absent backend costs: deadlines, retries, a
 * circuit breaker, limits of concurrency and bandwidth, hedged reads. Only what the backend cannot have acted on, or
 * what changes nothing when repeated, is sent again, and never a body of which a byte was read.
 */
public final class ResilientBackend extends JoinedBackend {
    /** The least deadline of copies and completions, on which a server may work for minutes. */
    private static final Duration LONG_OPERATION = Duration.ofMinutes(5);

    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "PUT", "DELETE");

    /**
     * Discards responses that arrive after a deadline or a cancel; they would keep their connection. Some operators
     * call the first hook, some the second one; that one takes the place of any further down, so that nothing is
     * discarded twice.
     */
    static final ContextView LATE = Context.of(
            "reactor.onNextDropped.local", (Consumer<Object>) ResilientBackend::discard,
            "reactor.onDiscard.local", (Consumer<Object>) ResilientBackend::discard);

    private final Backend backend;
    private final BackendGuard guard;
    private final RateLimiter bandwidth;
    private final Duration deadline;
    private final Duration longDeadline;

    /**
     * @param name the backend's name in the settings
     */
    public ResilientBackend(String name, Backend backend, ResilienceSettings settings) {
        this(name, backend, settings, OptionalInt.empty());
    }

    /**
     * @param name the backend's name in the settings
     * @param maxConnections the most connections of the backend; empty if it has none
     */
    public ResilientBackend(String name, Backend backend, ResilienceSettings settings, OptionalInt maxConnections) {
        this(backend, new BackendGuard(name, backend, settings, maxConnections.orElse(Integer.MAX_VALUE)), settings);
    }

    ResilientBackend(Backend backend, BackendGuard guard, ResilienceSettings settings) {
        super(Roles.of(backend));
        this.backend = backend;
        this.guard = guard;
        this.bandwidth = RateLimiter.of(settings.bandwidth()
                .map(limit -> OptionalLong.of(limit.bytes()))
                .orElseGet(OptionalLong::empty));
        this.deadline = settings.deadline();
        this.longDeadline = deadline.compareTo(LONG_OPERATION) > 0 ? deadline : LONG_OPERATION;
    }

    /** Returns the counts of what was retried, refused and hedged. */
    public ResilienceStats stats() {
        return guard.stats();
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return guard.run(read(request, backend.head(request)), late -> {});
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        GuardedCall<ObjectContent> call = read(request, backend.open(request))
                .streaming((content, ended) -> new ObjectContent(
                        content.head(), content.range(), body(content.body(), content.length(), ended)));
        Mono<ObjectContent> opened = guard.run(call, ObjectContent::discard);
        Mono<ObjectContent> content = guard.streams().read(opened).contextWrite(LATE);
        return bandwidth.isLimited() ? content.map(this::paced) : content;
    }

    private <T> GuardedCall<T> read(ReadRequest request, Mono<T> once) {
        return new GuardedCall<>(Optional.of(request.object().bucket()), once, deadline, failure -> true, true);
    }

    private ObjectContent paced(ObjectContent content) {
        return new ObjectContent(content.head(), content.range(), bandwidth.paced(content.body()));
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return upload(object.object().bucket(), body, watched -> backend.put(object, watched));
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        BucketName bucket = deletion.object().bucket();
        Mono<DeleteResult> delete = backend.delete(deletion, headers);
        // A repeated delete would evaluate its condition against the result of the first one.
        return isConditional(deletion, headers)
                ? unlessProcessed(bucket, delete, deadline)
                : idempotent(bucket, delete);
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        Mono<List<DeleteOutcome>> deletes = backend.deleteAll(bucket, deletions, headers);
        boolean conditional = deletions.stream().anyMatch(deletion -> isConditional(deletion, headers));
        return run(
                Optional.of(bucket),
                deletes,
                longDeadline,
                conditional ? BackendException::isUnprocessed : failure -> true);
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return upload(upload.object().bucket(), body, watched -> backend.putPart(upload, number, headers, watched));
    }

    @Override
    public Mono<ForwardResponse> forward(ForwardRequest request) {
        Mono<ForwardResponse> forward = backend.forward(request);
        if (!request.repeatable()) {
            return run(Optional.of(request.bucket()), forward, longDeadline, failure -> false);
        }
        return IDEMPOTENT.contains(request.method())
                ? idempotent(request.bucket(), forward)
                : unlessProcessed(request.bucket(), forward, deadline);
    }

    @Override
    public Mono<StreamingForwardResponse> forwardRead(ForwardRequest request) {
        if (request.method().equals("HEAD")) {
            // Nobody reads the body that it does not have.
            return idempotent(request.bucket(), backend.forwardRead(request)).contextWrite(LATE);
        }
        GuardedCall<StreamingForwardResponse> call = new GuardedCall<>(
                Optional.of(request.bucket()), backend.forwardRead(request), deadline, failure -> true, false);
        Mono<StreamingForwardResponse> forwarded = guard.run(
                call.streaming((response, ended) -> new StreamingForwardResponse(
                        response.status(),
                        response.headers(),
                        response.length(),
                        body(response.body(), response.length().orElse(-1), ended))),
                StreamingForwardResponse::discard);
        return guard.streams().forwardRead(forwarded).contextWrite(LATE);
    }

    /** An empty body may be left unread. */
    private static Flux<ByteBuf> body(Flux<ByteBuf> body, long length, Runnable ended) {
        if (length == 0) {
            ended.run();
            return body;
        }
        return body.doFinally(end -> ended.run());
    }

    /** The request is sent once, because its meaning is unknown. */
    @Override
    public Mono<ForwardResponse> forwardWrite(ForwardRequest request, UploadBody body) {
        return guard.streams()
                .write(body, sent -> upload(request.bucket(), backend.forwardWrite(request, sent), failure -> false));
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

    @Override
    public String toString() {
        return backend.toString();
    }

    /**
     * Runs the calls without a body. Repeated, what changes something would report the result of the first one as that
     * of another client.
     */
    @Override
    protected <T> Mono<T> around(BackendCall call, Mono<T> once) {
        return switch (call.operation()) {
            case LIST, BUCKETS, BUCKET, ABORT_UPLOAD, LIST_PARTS, LIST_UPLOADS, LIST_VERSIONS ->
                run(call.bucket(), once, deadline, failure -> true);
            case COPY, COPY_PART, COMPLETE_UPLOAD ->
                run(call.bucket(), once, longDeadline, BackendException::isUnprocessed);
            case CREATE_UPLOAD, CREATE_BUCKET, DELETE_BUCKET ->
                run(call.bucket(), once, deadline, BackendException::isUnprocessed);
            // They have a method each.
            case HEAD, OPEN, PUT, DELETE, DELETE_ALL, PUT_PART, FORWARD ->
                run(call.bucket(), once, deadline, failure -> false);
        };
    }

    /** Runs a call that changes nothing when it is repeated. */
    private <T> Mono<T> idempotent(BucketName bucket, Mono<T> once) {
        return run(Optional.of(bucket), once, deadline, failure -> true);
    }

    private <T> Mono<T> unlessProcessed(BucketName bucket, Mono<T> once, Duration within) {
        return run(Optional.of(bucket), once, within, BackendException::isUnprocessed);
    }

    /** Runs a write whose body is sent once: it is repeated only while nobody has subscribed to the body. */
    private <T> Mono<T> upload(BucketName bucket, UploadBody body, Function<UploadBody, Mono<T>> write) {
        return guard.streams().write(body, sent -> {
            AtomicBoolean started = new AtomicBoolean();
            UploadBody watched = new UploadBody(
                    sent.length(), sent.pieces().doOnSubscribe(reader -> started.set(true)), sent.trailer());
            return upload(bucket, write.apply(watched), failure -> !started.get());
        });
    }

    private <T> Mono<T> upload(BucketName bucket, Mono<T> once, Predicate<BackendException> repeatable) {
        return guard.run(GuardedCall.upload(bucket, once, repeatable), late -> {});
    }

    private <T> Mono<T> run(
            Optional<BucketName> bucket, Mono<T> once, Duration within, Predicate<BackendException> repeatable) {
        return guard.run(new GuardedCall<>(bucket, once, within, repeatable, false), late -> {});
    }

    private static boolean isConditional(Deletion deletion, HeaderList headers) {
        return !(deletion.condition() instanceof WriteCondition.Unconditional)
                || !deletion.conditionHeaders().fields().isEmpty()
                || headers.fields().stream().anyMatch(field -> field.name().startsWith("x-amz-if-match"));
    }

    private static void discard(Object late) {
        if (late instanceof ObjectContent content) {
            content.discard();
        } else if (late instanceof StreamingForwardResponse response) {
            response.discard();
        }
    }
}
