package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.CacheReader;
import io.millrace.gateway.archive.TarEntryHeader;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.gate.BatchTally;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.async.DrainLoop;
import io.millrace.kit.async.LastPieceGuard;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * The tar of a batch, for one subscriber: the entries in their order, of which up to {@link #AHEAD} are opened ahead.
 * It ends only if it is whole. One that cannot be had is an empty file {@code __404__/NAME} whose PAX header says why,
 * if the batch goes on; otherwise the tar fails there. One whose body fails always makes the tar fail, before the last
 * buffer of the entry. The PAX header of the first entry of a sample says how many it has, and that of a head, which is
 * an empty file, size and tag of the object.
 *
 * <p>All state belongs to one {@link DrainLoop}, on the executor in the subscriber's context; entries, their responses
 * and buffers come from any thread. What an entry has opened is either taken by the loop or given up, never both.
 */
final class BatchTar extends Flux<ReferenceCounted> {
    /** The entries that are opened before they are needed. Each holds one buffer at most. */
    static final int AHEAD = 32;

    /**
     * The entries ahead that may hold a connection of their backend until it is their turn, because they come past the
     * cache. Any may do so before it has a response.
     */
    static final int MOST_PAST_CACHE = 8;

    /** The entries that cannot be had <em>now</em> and that a batch goes on without, at most. */
    static final int MOST_NOT_NOW = 8;

    /** The buffers that are emitted before other connections of the event loop have their turn. */
    private static final int TURN = 4;

    private final String requestId;
    private final BatchRequest batch;
    private final Flux<BatchEntry> entries;
    private final BatchTally tally;

    /**
     * @param requestId of the batch, for the log
     * @param entries one for each item and each member of a sample, in their order; never fails
     */
    BatchTar(String requestId, BatchRequest batch, Flux<BatchEntry> entries, BatchTally tally) {
        this.requestId = requestId;
        this.batch = batch;
        this.entries = entries;
        this.tally = tally;
    }

    /** Returns an error with the number of the item that it is about. */
    static S3Exception withItem(S3Exception error, int number) {
        return error.with("Item", Integer.toString(number));
    }

    /** Returns whether a response has this result of the cache. */
    static boolean hasResult(S3Response response, CacheResult result) {
        return response.cacheStatus()
                .filter(status -> status.result() == result)
                .isPresent();
    }

    @Override
    public void subscribe(CoreSubscriber<? super ReferenceCounted> reader) {
        Optional<Executor> executor = reader.currentContext().getOrEmpty(CacheReader.EXECUTOR);
        reader.onSubscribe(new Writer(reader, executor.orElse(Runnable::run)));
    }

    /** The subscription. All but the volatile fields belongs to the thread that runs the loop. */
    private final class Writer implements Subscription {
        private final CoreSubscriber<? super ReferenceCounted> reader;
        private final Context ofEntries;
        private final DrainLoop loop;
        private final BatchEntryQueue found;
        private final AtomicLong demand = new AtomicLong();
        private volatile boolean cancelled;

        /** Whether others have their turn, although there is demand: a socket that takes all asks for more at once. */
        private volatile boolean rests;

        private final Deque<BatchOpening> ahead = new ArrayDeque<>();
        private final BatchBuffers buffers = new BatchBuffers();
        private @Nullable BatchContent content;

        /**
         * The most entries ahead that may hold a connection; more once a response shows that they do not, and none
         * ahead that they do.
         */
        private int mostHolding = MOST_PAST_CACHE;

        /** The number of the item to which the last entry belongs. */
        private int item = -1;

        private int notNow;
        private boolean subscribed;
        private boolean begun;
        private boolean isWhole;
        private boolean over;

        Writer(CoreSubscriber<? super ReferenceCounted> reader, Executor executor) {
            this.reader = reader;
            // Between the chunks of a body of unknown length, and in the joined buffers, there are no file regions.
            this.ofEntries = reader.currentContext().put(CacheReader.BUFFERS_ONLY, true);
            this.loop = new DrainLoop(executor, this::run, this::abandon);
            this.found = new BatchEntryQueue(ofEntries, loop::signal);
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
            if (!subscribed) {
                subscribed = true;
                entries.subscribe(found);
            }
            @Nullable Throwable failure = found.failure();
            if (failure != null) {
                stop(failure);
                return;
            }
            openAhead();
            int emitted = 0;
            while (demand.get() > 0 && !cancelled) {
                @Nullable ByteBuf next = next();
                if (next == null) {
                    break;
                }
                if (emitted == TURN) {
                    buffers.giveBack(next);
                    rests = true;
                    Disposable unused = Schedulers.parallel().schedule(this::resume);
                    return;
                }
                emitted++;
                begun = true;
                demand.updateAndGet(before -> before == Long.MAX_VALUE ? before : before - 1);
                reader.onNext(next);
            }
            if (isWhole && buffers.isEmpty() && !over && !cancelled) {
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
            for (BatchOpening one : ahead) {
                learn(one);
                holding += one.holdsConnection() ? 1 : 0;
            }
            while (ahead.size() < AHEAD && holding < mostHolding) {
                @Nullable BatchEntry entry = found.poll();
                if (entry == null) {
                    return;
                }
                BatchOpening next = new BatchOpening(entry, ofEntries, loop::signal);
                ahead.add(next);
                entry.response().subscribe(next);
                learn(next);
                holding += next.holdsConnection() ? 1 : 0;
            }
        }

        /** Takes an outcome, once it is known, as a sign of what those of further items will be. */
        private void learn(BatchOpening one) {
            if (!one.learn()) {
                return;
            }
            if (one.holdsConnection()) {
                mostHolding = MOST_PAST_CACHE;
            } else if (ahead.stream().noneMatch(BatchOpening::isKnownToHold)) {
                mostHolding = Math.min(AHEAD, 2 * mostHolding);
            }
        }

        /** Returns the next buffer; null if there is none before another signal. */
        private @Nullable ByteBuf next() {
            boolean advances = true;
            while (advances && !buffers.hasReady() && !over) {
                advances = advance();
            }
            // What there is does not wait for the next item; but before the first byte an error may still be one of S3.
            if (!over && !buffers.hasReady() && (begun || isWhole || batch.goesOn())) {
                buffers.passJoined();
            }
            return over ? null : buffers.poll();
        }

        /** Does one step; returns whether there may be another one without a signal. */
        private boolean advance() {
            BatchContent current = content;
            if (current != null) {
                return advance(current);
            }
            BatchOpening next = ahead.peek();
            if (next != null) {
                return next.isKnown() && begin(ahead.remove());
            }
            if (isWhole || !found.isOver()) {
                return false;
            }
            if (item != batch.items().size() - 1) {
                throw new IllegalStateException("the tar of a batch would end after item %d".formatted(item));
            }
            buffers.join(new byte[TarEntryHeader.END]);
            isWhole = true;
            return true;
        }

        private boolean advance(BatchContent current) {
            boolean sawEnd = current.hasEnded();
            Throwable broken = current.failure();
            if (broken != null) {
                stop(broken);
                return false;
            }
            ByteBuf piece = current.take();
            if (piece != null) {
                buffers.add(piece);
                return true;
            }
            if (sawEnd) {
                content = null;
                buffers.join(new byte[TarEntryHeader.padding(current.length())]);
                return true;
            }
            return current.request();
        }

        private boolean begin(BatchOpening known) {
            learn(known);
            openAhead();
            BatchEntry entry = known.entry();
            Object outcome = known.take();
            if (outcome instanceof S3Response response) {
                begin(entry, response);
            } else {
                goOnWithout(entry, (Throwable) outcome);
            }
            item = entry.item();
            return !over;
        }

        private void begin(BatchEntry entry, S3Response response) {
            S3Response.Body body = response.body();
            long length = batch.wantsHeads() ? 0 : body.length();
            try {
                buffers.join(
                        batch.wantsHeads()
                                ? BatchEntryHeader.ofHead(entry, response)
                                : BatchEntryHeader.ofContent(entry, length));
                tally.add(hasResult(response, CacheResult.HIT) ? BatchTally.Outcome.HIT : BatchTally.Outcome.FETCHED);
            } catch (RuntimeException | OutOfMemoryError failure) {
                body.discard();
                throw failure;
            }
            if (batch.wantsHeads()) {
                body.discard();
            } else if (body instanceof S3Response.Buffer whole) {
                buffers.add(whole.content());
                buffers.join(new byte[TarEntryHeader.padding(length)]);
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
            BatchContent next = new BatchContent(length, ofEntries, loop::signal);
            content = next;
            LastPieceGuard.of(pieces, length, () -> {}).subscribe(next);
        }

        private void goOnWithout(BatchEntry entry, Throwable failure) {
            S3Exception error = LateErrors.toS3(requestId, failure);
            tally.add(
                    error.status() == S3ErrorCode.NO_SUCH_KEY.status()
                            ? BatchTally.Outcome.ABSENT
                            : error.status() == S3ErrorCode.ACCESS_DENIED.status()
                                    ? BatchTally.Outcome.DENIED
                                    : BatchTally.Outcome.FAILED);
            notNow += isNotNow(error) ? 1 : 0;
            if (!batch.goesOn() || notNow > MOST_NOT_NOW) {
                stop(withItem(withBucket(error, entry), entry.item()));
                return;
            }
            buffers.join(BatchEntryHeader.ofMissing(entry, error.code()));
        }

        /** Returns an error with the bucket that there is not: it need not be that of the request. */
        private S3Exception withBucket(S3Exception error, BatchEntry entry) {
            BucketName bucket = batch.items().get(entry.item()).bucket();
            boolean isAbsent = error.code().equals(S3ErrorCode.NO_SUCH_BUCKET.code());
            return isAbsent ? error.with("BucketName", bucket.value()) : error;
        }

        /** Ends early: with an error, or silently if the subscriber has cancelled. */
        private void stop(@Nullable Throwable cause) {
            if (over) {
                return;
            }
            over = true;
            found.cancel();
            ahead.forEach(BatchOpening::close);
            ahead.clear();
            @Nullable BatchContent current = content;
            if (current != null) {
                current.close();
            }
            buffers.release();
            if (cause != null && !cancelled) {
                reader.onError(cause);
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
}
