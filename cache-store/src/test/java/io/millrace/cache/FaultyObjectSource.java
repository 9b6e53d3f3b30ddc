package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.cache.fill.UnopenedFetchException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * An object source with computed bytes whose requests fail according to a plan. Its buffers are pooled, so that leaks
 * are detected.
 */
final class FaultyObjectSource implements ObjectSource {
    private static final int PIECE = 32 << 10;

    private final String name;
    private final long size;
    private final boolean synchronous;
    private final IntFunction<Fault> plan;
    private final AtomicLong seed = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong givenUp = new AtomicLong();
    private final List<ByteRange> asked = new CopyOnWriteArrayList<>();
    private final Sinks.One<ByteBuf> gate = Sinks.one();

    /** The fate of a request at a byte of its response. */
    sealed interface Fault {
        /** Nothing goes wrong. */
        record None() implements Fault {}

        /** The answer breaks off after so many bytes. */
        record Cut(long bytes) implements Fault {}

        /** The answer stands still after so many bytes, until {@link #goOn}. */
        record Stall(long bytes) implements Fault {}

        /** The answer stands still after so many bytes, and breaks off when {@link #goOn} is called. */
        record CutLater(long bytes) implements Fault {}

        /** There is no answer. */
        record Refused(BackendException.FailureKind kind) implements Fault {}

        /** There is no answer, and no other try is wanted. */
        record Unopened() implements Fault {}

        /** Asking throws. */
        record Thrown() implements Fault {}
    }

    /**
     * @param synchronous whether it answers in the calls of its subscriber
     * @param plan what becomes of request 0, 1, …
     */
    FaultyObjectSource(String name, long size, boolean synchronous, IntFunction<Fault> plan) {
        this.name = name;
        this.size = size;
        this.synchronous = synchronous;
        this.plan = plan;
    }

    static FaultyObjectSource sound(String name, long size) {
        return new FaultyObjectSource(name, size, false, request -> new Fault.None());
    }

    /** One whose first requests go wrong in this order. */
    static FaultyObjectSource with(String name, long size, Fault... first) {
        return new FaultyObjectSource(
                name, size, false, request -> request < first.length ? first[request] : new Fault.None());
    }

    /** From now on it has other bytes. */
    void replace() {
        seed.incrementAndGet();
    }

    /** Lets a stalled answer go on. */
    void goOn() {
        gate.tryEmitEmpty();
    }

    String name() {
        return name;
    }

    long size() {
        return size;
    }

    /** The bytes of each request, in order. */
    List<ByteRange> asked() {
        return asked;
    }

    /** Bytes that were handed over. */
    long sent() {
        return sent.get();
    }

    /** Answers that were not heard to their end, so that a connection of theirs is lost. */
    long givenUp() {
        return givenUp.get();
    }

    /** Returns the current content of the source. */
    GeneratedBytes bytes() {
        return new GeneratedBytes(name, seed.get());
    }

    @Override
    public Mono<ObjectContent> open(ByteSelection selection) {
        return Mono.defer(() -> {
            Optional<ByteRange> range = selection instanceof ByteSelection.RangeSelection wanted
                    ? Optional.of(wanted.spec()
                            .resolve(size)
                            .orElseThrow(
                                    () -> new BackendException(BackendException.FailureKind.INVALID_RANGE, "beyond")))
                    : Optional.empty();
            Fault fault = ask(range.orElseGet(() -> new ByteRange(0, Math.max(0, size - 1))));
            return fault instanceof Fault.Refused refused
                    ? Mono.error(new BackendException(refused.kind(), "refused"))
                    : Mono.just(new ObjectContent(objectHead(), range, body(range, fault)));
        });
    }

    @Override
    public Mono<HeadResult> head() {
        return Mono.fromCallable(() -> new HeadResult(objectHead(), Optional.empty()));
    }

    @Override
    public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
        Fault fault = ask(range);
        if (fault instanceof Fault.Thrown) {
            throw new IllegalStateException("asking fails");
        }
        return Flux.defer(() -> version.equals(objectHead().version())
                ? body(Optional.of(range), fault)
                : Flux.error(new BackendException(BackendException.FailureKind.VERSION_CHANGED, "another")));
    }

    private Fault ask(ByteRange range) {
        synchronized (asked) {
            asked.add(range);
            return plan.apply(asked.size() - 1);
        }
    }

    private Flux<ByteBuf> body(Optional<ByteRange> range, Fault fault) {
        long first = range.map(ByteRange::first).orElse(0L);
        long end = range.map(bytes -> bytes.last() + 1).orElse(size);
        BackendException cut = new BackendException(BackendException.FailureKind.INVALID_RESPONSE, "cut");
        Flux<ByteBuf> body = switch (faultOf(fault)) {
            case CUT ->
                pieces(first, Math.min(end, first + ((Fault.Cut) fault).bytes()))
                        .concatWith(Flux.error(cut));
            case STALL -> {
                long middle = Math.min(end, first + ((Fault.Stall) fault).bytes());
                yield Flux.concat(pieces(first, middle), gate.asMono(), pieces(middle, end));
            }
            case CUT_LATER ->
                Flux.concat(
                        pieces(first, Math.min(end, first + ((Fault.CutLater) fault).bytes())),
                        gate.asMono(),
                        Flux.error(cut));
            case REFUSED -> Flux.error(new BackendException(((Fault.Refused) fault).kind(), "refused"));
            case UNOPENED ->
                Flux.error(new UnopenedFetchException(
                        new BackendException(BackendException.FailureKind.UNAVAILABLE, "unopened")));
            case NONE -> pieces(first, end);
        };
        Flux<ByteBuf> heard = body.doOnCancel(givenUp::incrementAndGet);
        return synchronous ? heard : heard.subscribeOn(Schedulers.parallel());
    }

    private enum Way {
        UNOPENED,
        NONE,
        CUT,
        STALL,
        CUT_LATER,
        REFUSED
    }

    private static Way faultOf(Fault fault) {
        if (fault instanceof Fault.Cut) {
            return Way.CUT;
        }
        if (fault instanceof Fault.Stall) {
            return Way.STALL;
        }
        if (fault instanceof Fault.CutLater) {
            return Way.CUT_LATER;
        }
        if (fault instanceof Fault.Unopened) {
            return Way.UNOPENED;
        }
        return fault instanceof Fault.Refused ? Way.REFUSED : Way.NONE;
    }

    private Flux<ByteBuf> pieces(long first, long end) {
        GeneratedBytes bytes = bytes();
        return Flux.generate(() -> first, (at, sink) -> {
            int length = (int) Math.min(PIECE, end - at);
            if (length == 0) {
                sink.complete();
                return at;
            }
            sent.addAndGet(length);
            sink.next(PooledByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(bytes.slice(at, length)));
            return at + length;
        });
    }

    private ObjectHead objectHead() {
        ETag tag = ETag.strong("v" + seed);
        return new ObjectHead(
                ObjectVersion.ofETag(Optional.of(tag), size, Optional.empty()),
                Optional.of(tag),
                Optional.of(Instant.ofEpochSecond(1_700_000_000)),
                HeaderList.EMPTY.with("content-type", "text/x-test"));
    }
}
