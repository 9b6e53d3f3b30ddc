package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.gateway.archive.ArchiveMember;
import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.share.FairSemaphore;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The decoders of the deflated members of one derived bucket: few at a time, so that a backend that hangs stops no
 * other bucket's. Others wait, and their parties take turns. Thread-safe.
 */
final class MemberDecoders {
    /** Members of a bucket that are decoded at a time, and that wait. */
    static final int MOST = 16;

    static final int MOST_WAITING = 1024;

    private final Executor threads;
    private final FairSemaphore slots;

    /** @param threads from {@link #threads()} */
    MemberDecoders(Executor threads) {
        this(threads, new FairSemaphore(MOST, MOST_WAITING, ArchiveFailures::tooManyDecoders));
    }

    MemberDecoders(Executor threads, FairSemaphore slots) {
        this.threads = threads;
        this.slots = slots;
    }

    /** Returns threads for the decoders of all buckets: half of the cores, since decoding is nothing but computing. */
    static Executor threads() {
        int half = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        return DaemonThreads.pool("member-decode-", half, Duration.ofMinutes(1), new LinkedBlockingQueue<>());
    }

    /** Returns a range of the content of a member, as {@link DecodedBody} has it. */
    Flux<ByteBuf> decode(Party party, ArchiveMember member, Flux<ByteBuf> data, ByteRange wanted) {
        return inTurn(party, new DecodedBody(data, member, wanted, threads));
    }

    /** Returns a body that begins when it has its turn. One whose reader has left before gives its turn away. */
    private Flux<ByteBuf> inTurn(Party party, Flux<ByteBuf> body) {
        return Flux.defer(() -> {
            Sinks.Empty<Void> turn = Sinks.empty();
            Sinks.Empty<Void> end = Sinks.empty();
            // Nobody cancels what has the place: a place whose owner left while it was given would be lost.
            slots.run(party, Mono.<Void>defer(() -> {
                        turn.tryEmitEmpty();
                        return end.asMono();
                    }))
                    .subscribe(none -> {}, refused -> turn.tryEmitError(ArchiveFailures.tooManyDecoders()));
            return turn.asMono().thenMany(body).doFinally(signal -> end.tryEmitEmpty());
        });
    }
}
