package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.cache.CacheReader;
import io.millrace.gateway.archive.TarEntryHeader;
import io.millrace.gateway.error.BackendErrorMapper;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.gate.BatchTally;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.async.DrainLoop;
import io.millrace.kit.async.LastPieceGuard;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * The tar of a batch, for one subscriber: the items in their order, of which up to {@link #AHEAD} are opened ahead. It
 * ends only if it is whole. An item that cannot be had is an empty file {@code __404__/NAME} whose PAX header says why,
 * if the batch goes on; otherwise the tar fails there. An item whose body fails always makes the tar fail, before the
 * last buffer of the item.
 *
 * <p>All state belongs to one {@link DrainLoop}, on the executor in the subscriber's context; responses and buffers of
 * items come from any thread. What an item has opened is either taken by the loop or given up, never both.
 */
final class BatchTar extends Flux<ReferenceCounted> {
    /** The items that are opened before they are needed. Each holds one buffer at most. */
    static final int AHEAD = 32;

    /**
     * The items ahead that may hold a connection of their backend until it is their turn, because they come past the
     * cache. Any may do so before it has a response.
     */
    static final int MOST_PAST_CACHE = 8;

    /** The largest buffer that is emitted, and the size into which small ones are joined. */
    static final int PIECE = 64 << 10;

    /** The largest buffer that is copied to be joined with others: each that is emitted costs a write. */
    private static final int MOST_COPIED = 16 << 10;

    /** The items that cannot be had <em>now</em> and that a batch goes on without, at most. */
    static final int MOST_NOT_NOW = 8;

    /** The buffers that are emitted before other connections of the event loop have their turn. */
    private static final int TURN = 4;

    private static final String CODE = "MILLRACE.code";
    private static final int LONGEST_CODE = 64;

    /** The folder of items that could not be had, by AIStore's convention. */
    private static final String MISSING = "__404__/";

    private static final Logger log = LoggerFactory.getLogger(BatchTar.class);

    /** The place of an outcome that was taken, or that nobody wants any more. */
    private static final Object TAKEN = new Object();

    private final BatchRequest batch;
    private final IntFunction<Mono<S3Response>> read;
    private final BatchTally tally;

    /** @param read returns the response to a GET for an item, by its number; called in their order */
    BatchTar(BatchRequest batch, IntFunction<Mono<S3Response>> read, BatchTally tally) {
        this.batch = batch;
        this.read = read;
        this.tally = tally;
    }

    /** Returns an error with the number of the item that it is about. */
    static S3Exception withItem(S3Exception error, int number) {
        return error.with("Item", Integer.toString(number));
    }

    @Override
    public void subscribe(CoreSubscriber<? super ReferenceCounted> reader) {
        Optional<Executor> executor = reader.currentContext().getOrEmpty(CacheReader.EXECUTOR);
        reader.onSubscribe(new Writer(reader, executor.orElse(Runnable::run)));
    }

    /** The subscription. All but the volatile fields belongs to the thread that runs the loop. */
    private final class Writer implements Subscription {
        private final CoreSubscriber<? super ReferenceCounted> reader;
        private final Context ofItems;
        private final DrainLoop loop;
        private final AtomicLong demand = new AtomicLong();
        private volatile boolean cancelled;

        /** Whether others have their turn, although there is demand: a socket that takes all asks for more at once. */
        private volatile boolean rests;

        private final Deque<Opening> ahead = new ArrayDeque<>();
        private final Deque<ByteBuf> ready = new ArrayDeque<>();
        private @Nullable ByteBuf joined;
        private @Nullable Content content;

        /** The most items ahead that may hold a connection; more once a response shows that they do not. */
        private int mostHolding = MOST_PAST_CACHE;

        private int opened;
        private int written;
        private int notNow;
        private boolean begun;
        private boolean isWhole;
        private boolean over;

        Writer(CoreSubscriber<? super ReferenceCounted> reader, Executor executor) {
            this.reader = reader;
            // Between the chunks of a body of unknown length, and in the joined buffers, there are no file regions.
            this.ofItems = reader.currentContext().put(CacheReader.BUFFERS_ONLY, true);
            this.loop = new DrainLoop(executor, this::run, this::abandon);
        }

        @Override
        public void request(long more) {
            if (Operators.validate(more)) {
                demand.accumulateAndGet(more, Operators::addCap);
                loop.signal();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            loop.signal();
        }

        /** The event loop has shut down, so this thread releases what there is. */
        private void abandon() {
            cancelled = true;
            loop.run();
        }

        private boolean run() {
            try {
                if (!over && !cancelled && !rests) {
                    work();
                }
            } catch (RuntimeException | OutOfMemoryError failure) {
                stop(failure);
            }
            if (cancelled) {
                stop(null);
            }
            return true;
        }

        private void work() {
            openAhead();
            int emitted = 0;
            while (demand.get() > 0 && !cancelled) {
                @Nullable ByteBuf next = next();
                if (next == null) {
                    break;
                }
                if (emitted == TURN) {
                    ready.addFirst(next);
                    rests = true;
                    Disposable unused = Schedulers.parallel().schedule(this::resume);
                    return;
                }
                emitted++;
                begun = true;
                demand.updateAndGet(before -> before == Long.MAX_VALUE ? before : before - 1);
                reader.onNext(next);
            }
            if (isWhole && ready.isEmpty() && joined == null && !over && !cancelled) {
                over = true;
                reader.onComplete();
            }
        }

        private void resume() {
            rests = false;
            loop.signal();
        }

        private void openAhead() {
            int holding = 0;
            for (Opening one : ahead) {
                holding += one.mayHoldConnection() ? 1 : 0;
            }
            while (opened < batch.items().size() && ahead.size() < AHEAD && holding < mostHolding) {
                Opening next = new Opening();
                ahead.add(next);
                read.apply(opened++).subscribe(next);
                holding += next.mayHoldConnection() ? 1 : 0;
            }
        }

        /** Returns the next buffer; null if there is none before another signal. */
        private @Nullable ByteBuf next() {
            boolean advances = true;
            while (advances && ready.isEmpty() && !over) {
                advances = advance();
            }
            // What there is does not wait for the next item; but before the first byte an error may still be one of S3.
            if (!over && ready.isEmpty() && (begun || isWhole || batch.goesOn())) {
                passJoined();
            }
            return over ? null : ready.poll();
        }

        /** Does one step; returns whether there may be another one without a signal. */
        private boolean advance() {
            Content current = content;
            if (current != null) {
                return current.advance();
            }
            Opening next = ahead.peek();
            if (next != null) {
                return next.isKnown() && begin(ahead.remove());
            }
            if (isWhole) {
                return false;
            }
            if (written < batch.items().size()) {
                throw new IllegalStateException("the tar of a batch would end after %d items".formatted(written));
            }
            join(new byte[TarEntryHeader.END]);
            isWhole = true;
            return true;
        }

        private boolean begin(Opening known) {
            known.learn();
            openAhead();
            Object outcome = known.take();
            if (outcome instanceof S3Response response) {
                begin(response);
            } else {
                goOnWithout((Throwable) outcome);
            }
            written++;
            return !over;
        }

        private void begin(S3Response response) {
            S3Response.Body body = response.body();
            long length = body.length();
            try {
                join(TarEntryHeader.of(name(), length));
                tally.add(isHit(response) ? BatchTally.Outcome.HIT : BatchTally.Outcome.FETCHED);
            } catch (RuntimeException | OutOfMemoryError failure) {
                body.discard();
                throw failure;
            }
            if (body instanceof S3Response.Buffer whole) {
                add(whole.content());
                join(new byte[TarEntryHeader.padding(length)]);
            } else if (body instanceof S3Response.Content streamed) {
                begin(streamed.content().body(), length);
            } else if (body instanceof S3Response.CachedContent cached) {
                begin(cached.pieces().cast(ByteBuf.class), length);
            } else if (length != 0) {
                body.discard();
                throw new IllegalStateException("an object's body is of another kind: " + body.getClass());
            }
        }

        private void begin(Flux<ByteBuf> pieces, long length) {
            Content next = new Content(length);
            content = next;
            LastPieceGuard.of(pieces, length, () -> {}).subscribe(next);
        }

        private static boolean isHit(S3Response response) {
            return is(CacheResult.HIT, response);
        }

        /** Returns whether the body comes from a backend as its reader takes it. */
        private static boolean isPastCache(S3Response response) {
            S3Response.Body body = response.body();
            return body.length() > 0
                    && (body instanceof S3Response.Content
                            || (body instanceof S3Response.CachedContent && is(CacheResult.BYPASS, response)));
        }

        private static boolean is(CacheResult result, S3Response response) {
            return response.cacheStatus()
                    .filter(status -> status.result() == result)
                    .isPresent();
        }

        private String name() {
            BatchItem item = batch.items().get(written);
            return batch.hidesBuckets() ? item.read().value() : item.bucket() + "/" + item.read();
        }

        private void goOnWithout(Throwable failure) {
            S3Exception error = toS3(failure);
            tally.add(
                    error.status() == S3ErrorCode.NO_SUCH_KEY.status()
                            ? BatchTally.Outcome.ABSENT
                            : error.status() == S3ErrorCode.ACCESS_DENIED.status()
                                    ? BatchTally.Outcome.DENIED
                                    : BatchTally.Outcome.FAILED);
            notNow += isNotNow(error) ? 1 : 0;
            if (!batch.goesOn() || notNow > MOST_NOT_NOW) {
                stop(withItem(error, written));
                return;
            }
            String code = error.code();
            String shown = code.length() > LONGEST_CODE ? code.substring(0, LONGEST_CODE) : code;
            join(TarEntryHeader.of(MISSING + name(), 0, Map.of(CODE, shown)));
        }

        /** Emits a buffer as it is if it is large, and joins a small one to those before it. */
        private void add(ByteBuf piece) {
            if (piece.readableBytes() > MOST_COPIED) {
                passJoined();
                ready.add(piece);
                return;
            }
            try {
                while (piece.isReadable()) {
                    ByteBuf into = room();
                    into.writeBytes(piece, Math.min(piece.readableBytes(), into.writableBytes()));
                }
            } finally {
                piece.release();
            }
        }

        private void join(byte[] bytes) {
            for (int at = 0; at < bytes.length; ) {
                ByteBuf into = room();
                int part = Math.min(bytes.length - at, into.writableBytes());
                into.writeBytes(bytes, at, part);
                at += part;
            }
        }

        /** Returns a buffer with room for at least a byte. */
        private ByteBuf room() {
            @Nullable ByteBuf current = joined;
            if (current != null && current.isWritable()) {
                return current;
            }
            passJoined();
            ByteBuf next = PooledByteBufAllocator.DEFAULT.directBuffer(PIECE, PIECE);
            joined = next;
            return next;
        }

        private void passJoined() {
            @Nullable ByteBuf filled = joined;
            if (filled != null) {
                // The window of a slow reader counts bytes: many buffers that are nearly empty would fit into it.
                filled.capacity(filled.readableBytes());
                joined = null;
                ready.add(filled);
            }
        }

        /** Ends early: with an error, or silently if the subscriber has cancelled. */
        private void stop(@Nullable Throwable cause) {
            if (over) {
                return;
            }
            over = true;
            ahead.forEach(Opening::close);
            ahead.clear();
            @Nullable Content current = content;
            if (current != null) {
                current.close();
            }
            ReferenceCountUtil.release(joined);
            joined = null;
            ready.forEach(ByteBuf::release);
            ready.clear();
            if (cause != null && !cancelled) {
                reader.onError(cause);
            }
        }

        /** The opening of an item: its response, or why there is none, until the loop takes it. */
        private final class Opening implements CoreSubscriber<S3Response> {
            private final AtomicReference<@Nullable Object> outcome = new AtomicReference<>();
            private volatile @Nullable Subscription source;

            /** Whether it holds a connection of a backend, as far as is known. For the loop only, as the next one. */
            private boolean holdsConnection = true;

            private boolean hasLearnt;

            @Override
            public Context currentContext() {
                return ofItems;
            }

            @Override
            public void onSubscribe(Subscription subscription) {
                source = subscription;
                if (outcome.get() == TAKEN) {
                    subscription.cancel();
                } else {
                    subscription.request(Long.MAX_VALUE);
                }
            }

            @Override
            public void onNext(S3Response response) {
                if (outcome.compareAndSet(null, response)) {
                    loop.signal();
                } else {
                    response.body().discard();
                }
            }

            @Override
            public void onError(Throwable failure) {
                if (outcome.compareAndSet(null, failure)) {
                    loop.signal();
                }
            }

            @Override
            public void onComplete() {
                onError(new IllegalStateException("an item has no response"));
            }

            boolean isKnown() {
                return outcome.get() != null;
            }

            /** Returns whether it holds a connection of a backend until it is taken, or may turn out to. */
            boolean mayHoldConnection() {
                learn();
                return holdsConnection;
            }

            /** Takes an outcome, once it is known, as a sign of what those of further items will be. */
            void learn() {
                Object known = outcome.get();
                if (known != null && !hasLearnt) {
                    hasLearnt = true;
                    holdsConnection = known instanceof S3Response response && isPastCache(response);
                    mostHolding = holdsConnection ? MOST_PAST_CACHE : Math.min(AHEAD, 2 * mostHolding);
                }
            }

            Object take() {
                return Objects.requireNonNull(outcome.getAndSet(TAKEN));
            }

            void close() {
                Object known = outcome.getAndSet(TAKEN);
                Subscription current = source;
                if (current != null) {
                    current.cancel();
                }
                if (known instanceof S3Response response) {
                    response.body().discard();
                }
            }
        }

        /** The content of the item that is being written, which is requested buffer by buffer. */
        private final class Content implements CoreSubscriber<ByteBuf> {
            private final long length;
            private final AtomicReference<@Nullable ByteBuf> arrived = new AtomicReference<>();
            private volatile @Nullable Subscription source;
            private volatile @Nullable Throwable failure;
            private volatile boolean ended;
            private volatile boolean closed;
            private boolean requested;

            Content(long length) {
                this.length = length;
            }

            @Override
            public Context currentContext() {
                return ofItems;
            }

            @Override
            public void onSubscribe(Subscription subscription) {
                source = subscription;
                if (closed) {
                    subscription.cancel();
                } else {
                    loop.signal();
                }
            }

            @Override
            public void onNext(ByteBuf piece) {
                ByteBuf unread = arrived.getAndSet(piece);
                if (unread != null) {
                    unread.release();
                    failure = new IllegalStateException("a body sent more buffers than were requested");
                }
                if (closed) {
                    releaseArrived();
                }
                loop.signal();
            }

            @Override
            public void onError(Throwable cause) {
                failure = cause instanceof LastPieceGuard.WrongLengthException wrong
                        ? new BackendException(FailureKind.INVALID_RESPONSE, String.valueOf(wrong.getMessage()))
                        : cause;
                loop.signal();
            }

            @Override
            public void onComplete() {
                ended = true;
                loop.signal();
            }

            boolean advance() {
                // Read before "arrived": the end follows the last buffer, so if the end is seen, that buffer is.
                boolean sawEnd = ended;
                Throwable broken = failure;
                if (broken != null) {
                    stop(broken);
                    return false;
                }
                ByteBuf piece = arrived.getAndSet(null);
                if (piece != null) {
                    requested = false;
                    add(piece);
                    return true;
                }
                if (sawEnd) {
                    content = null;
                    join(new byte[TarEntryHeader.padding(length)]);
                    return true;
                }
                Subscription current = source;
                if (requested || current == null) {
                    return false;
                }
                requested = true;
                current.request(1);
                return arrived.get() != null || ended || failure != null;
            }

            void close() {
                closed = true;
                Subscription current = source;
                if (current != null) {
                    current.cancel();
                }
                releaseArrived();
            }

            private void releaseArrived() {
                ByteBuf piece = arrived.getAndSet(null);
                if (piece != null) {
                    piece.release();
                }
            }
        }
    }

    /** Returns whether a client that asks again may get the item. */
    private static boolean isNotNow(S3Exception error) {
        return switch (error.status()) {
            case 500, 502, 503, 504 -> true;
            default -> false;
        };
    }

    private static S3Exception toS3(Throwable failure) {
        if (failure instanceof S3Exception known) {
            return known;
        }
        if (failure instanceof BackendException backend && backend.kind() != FailureKind.UNEXPECTED) {
            return BackendErrorMapper.toS3(backend);
        }
        log.error("An item of a batch failed unexpectedly", failure);
        return new S3Exception(S3ErrorCode.INTERNAL_ERROR);
    }
}
