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

/**
 * The decoders of the deflated members of one derived bucket, or of the buckets of one backend: few at a time, so that
 * a backend that hangs stops no other's. Further ones wait, and their parties take turns. Thread-safe.
 */
final class MemberDecoders {
    /** Members of a bucket that are decoded at a time, and that wait; as many large ones are decoded beside them. */
    static final int MOST = 16;

    static final int MOST_WAITING = 1024;

    /**
     * Large ones that wait. Whoever waits has all blocks of its content in its hands, though they are empty: of a
     * gibibyte a megabyte of the heap, if blocks are small.
     */
    static final int MOST_LARGE_WAITING = 128;

    /** The content of a member from which on it is large, in bytes. */
    static final long LARGE = 64 << 20;

    /** Those of all buckets, also while settings are replaced: half of the cores, since they do nothing but compute. */
    private static final Executor THREADS = DaemonThreads.pool(
            "member-decode-",
            Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
            Duration.ofMinutes(1),
            new LinkedBlockingQueue<>());

    private final FairSemaphore slots;
    private final FairSemaphore slotsOfLarge;

    MemberDecoders() {
        this(
                new FairSemaphore(MOST, MOST_WAITING, ArchiveFailures::tooManyDecoders),
                new FairSemaphore(MOST, MOST_LARGE_WAITING, ArchiveFailures::tooManyDecoders));
    }

    MemberDecoders(FairSemaphore slots, FairSemaphore slotsOfLarge) {
        this.slots = slots;
        this.slotsOfLarge = slotsOfLarge;
    }

    /**
     * Returns a range of the content of a member, as {@link DecodedBody} has it, which begins when it has its turn. A
     * reader that leaves before waits no longer.
     */
    Flux<ByteBuf> decode(Party party, ArchiveMember member, Flux<ByteBuf> data, ByteRange wanted) {
        Flux<ByteBuf> body = new DecodedBody(data, member, wanted, THREADS);
        return (member.size() < LARGE ? slots : slotsOfLarge).run(party, body);
    }
}
