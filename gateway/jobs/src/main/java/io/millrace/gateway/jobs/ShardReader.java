package io.millrace.gateway.jobs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.gateway.jobs.ShardArrangement.Located;
import io.millrace.gateway.jobs.ShardArrangement.Shard;
import io.millrace.gateway.jobs.plan.JobLimits;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.ResidentObjectReader;
import io.millrace.kit.async.DiscardedBuffers;
import io.millrace.kit.async.RateLimiter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Reads the shards of an arrangement, as if they were there: any range of their tars, and their indexes. A member that
 * is not the object that was listed is a failure. Of each tar that is read it holds a page of members, and a connection
 * and a buffer of each member that is opened ahead.
 *
 * @param from bucket of the members
 * @param cache empty if there is none; a member whose bytes it has all is not fetched
 * @param readable the objects that the owner of the job may read
 * @param requests limits those to the backend
 * @param stripped see {@link TarLayout}
 * @param ahead members of a tar that are opened before they are needed
 * @param longestWait of a member that was opened ahead; behind a large one, on the way to a slow target, it may wait
 *     for minutes, and its backend gives up what nobody reads
 */
record ShardReader(
        BucketView from,
        Optional<ResidentObjectReader> cache,
        Predicate<ObjectKey> readable,
        RateLimiter requests,
        ShardArrangement arrangement,
        int stripped,
        int ahead,
        Duration longestWait) {
    /** Well below the time after which a backend gives up a response that nobody reads, a minute by default. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private static final int MOST_AHEAD_OF_ONE = 8;

    /** The members that all workers of a job have opened ahead: a share of a backend's connections, 512 by default. */
    private static final int MOST_AHEAD_OF_ALL = 128;

    /** More bytes of a member are opened at their turn: no buffer of a connection has them while they wait for it. */
    private static final long MOST_BYTES_AHEAD = 128 << 10;

    /** The members between two at which parts of a tar may begin. */
    private static final int BETWEEN_STARTS = 256;

    private static final String DAMAGED = "it is damaged";

    /** The members whose lines of an index are joined into a buffer. */
    private static final int LINES = 64;

    /**
     * The contents that a tar has opened and not begun to read, each of which holds a connection. At its end they are
     * discarded, also one that is opened at that moment. Thread-safe.
     */
    private static final class OpenedMembers {
        private final Set<Runnable> discards = ConcurrentHashMap.newKeySet();
        private volatile boolean isOver;

        /**
         * Adds a content, and returns its body, to be read once.
         *
         * @param longestWait until it is read; after that it is discarded
         * @param again reads the same then
         */
        Flux<ByteBuf> add(ObjectContent content, Duration longestWait, Flux<ByteBuf> again) {
            long begun = System.nanoTime();
            AtomicBoolean isTaken = new AtomicBoolean();
            Runnable discard = () -> {
                if (isTaken.compareAndSet(false, true)) {
                    content.discard();
                }
            };
            discards.add(discard);
            if (isOver) {
                discard.run();
            }
            return Flux.defer(() -> {
                discards.remove(discard);
                if (System.nanoTime() - begun >= longestWait.toNanos()) {
                    discard.run();
                    return again;
                }
                return isTaken.compareAndSet(false, true)
                        ? content.body()
                        : Flux.error(new IllegalStateException("the tar is over"));
            });
        }

        void discard() {
            isOver = true;
            discards.forEach(Runnable::run);
        }
    }

    /**
     * Returns how many members of a tar are opened ahead. It is one under a rate limit, which would let the others wait
     * until the backend gives them up.
     */
    static int ahead(JobLimits limits) {
        return limits.bandwidth().isPresent()
                ? 1
                : Math.max(1, Math.min(MOST_AHEAD_OF_ONE, MOST_AHEAD_OF_ALL / limits.workers()));
    }

    /**
     * Requires that the members of a shard are those of which it was arranged, and the right to read them all, also of
     * parts that an earlier run has stored.
     */
    Mono<Void> requireReadable(Shard shard) {
        return Mono.defer(() -> {
            HashDigest hash = ShardCutter.beginHash(stripped);
            return members(shard)
                    .doOnNext(located -> {
                        hash.update(ByteBuffer.wrap(located.member().encoded()));
                        requireReadable(located.member());
                    })
                    .onErrorMap(IllegalArgumentException.class, noKey -> ShardArrangement.unreadable(DAMAGED))
                    .then(Mono.fromRunnable(
                            () -> requireSame(shard, HexFormat.of().formatHex(hash.bytes()))));
        });
    }

    private static void requireSame(Shard shard, String hash) {
        if (!shard.hash().equals(hash)) {
            throw ShardArrangement.unreadable(DAMAGED);
        }
    }

    private void requireReadable(PackedMember member) {
        if (!readable.test(new ObjectKey(member.key()))) {
            throw FetchException.lasting("AccessDenied, its owner lacks the right read on %s".formatted(place(member)));
        }
    }

    /** Reads a range of a tar; the subscriber owns each buffer. */
    Flux<ByteBuf> tar(Shard shard, ByteRange range) {
        return tar(shard, range, new ConcurrentSkipListMap<>());
    }

    /**
     * Reads a range of a tar that is read in parts; the subscriber owns each buffer.
     *
     * @param starts some members that other parts have passed, by their places in the tar; else each part would begin
     *     with the first member
     */
    Flux<ByteBuf> tar(Shard shard, ByteRange range, NavigableMap<Long, Located> starts) {
        return Flux.defer(() -> {
            Map.@Nullable Entry<Long, Located> start = starts.floorEntry(range.first());
            TarLayout layout = new TarLayout(stripped, start == null ? 0 : start.getKey());
            OpenedMembers opened = new OpenedMembers();
            return (start == null
                            ? members(shard)
                            : arrangement.members(
                                    start.getValue().place(), start.getValue().left()))
                    .map(located -> {
                        TarLayout.Placed placed = layout.place(located.member());
                        if (located.left() % BETWEEN_STARTS == 0) {
                            starts.put(placed.begin(), located);
                        }
                        return placed;
                    })
                    .skipWhile(member -> member.end() <= range.first())
                    .takeWhile(member -> member.begin() <= range.last())
                    .flatMapSequential(member -> bytes(member, range, opened), ahead, 1)
                    .concatMap(bytes -> bytes, 0)
                    // One that comes while another thread cancels, or after another member's failure.
                    .contextWrite(DiscardedBuffers.RELEASED)
                    // If the range ends before, the layout does so behind it.
                    .concatWith(Flux.defer(() -> slice(layout.tail(), layout.end(), range)))
                    .doFinally(end -> opened.discard());
        });
    }

    /** Reads an index; the subscriber owns each buffer. */
    Flux<ByteBuf> index(Shard shard) {
        return Flux.defer(() -> {
            TarLayout layout = new TarLayout(stripped);
            ShardIndexText text = new ShardIndexText();
            return Flux.concat(
                            Flux.just(ShardIndexText.head(shard.indexed())),
                            members(shard)
                                    .map(located -> layout.place(located.member()))
                                    .map(text::add),
                            Mono.fromSupplier(text::end))
                    .filter(part -> !part.isEmpty())
                    .buffer(LINES)
                    .map(parts -> Unpooled.wrappedBuffer(String.join("", parts).getBytes(StandardCharsets.UTF_8)));
        });
    }

    private Flux<Located> members(Shard shard) {
        return arrangement.members(shard.first(), shard.members());
    }

    /** Opens the part of a member, with its lead, that is in a range. */
    private Mono<Flux<ByteBuf>> bytes(TarLayout.Placed member, ByteRange range, OpenedMembers opened) {
        ObjectKey key = new ObjectKey(member.member().key());
        Flux<ByteBuf> lead = slice(member.lead(), member.begin(), range);
        long first = Math.max(0, range.first() - member.content());
        long last = Math.min(member.member().size(), range.last() + 1 - member.content()) - 1;
        if (last < first) {
            return Mono.just(lead);
        }
        Mono<Flux<ByteBuf>> content = open(member.member(), from.at(key), new ByteRange(first, last), opened);
        return last < first + MOST_BYTES_AHEAD
                ? content.map(lead::concatWith)
                : Mono.just(lead.concatWith(content.flatMapMany(bytes -> bytes)));
    }

    private static Flux<ByteBuf> slice(byte[] bytes, long begin, ByteRange range) {
        int first = (int) Math.min(bytes.length, Math.max(0, range.first() - begin));
        int end = (int) Math.min(bytes.length, Math.max(0, range.last() + 1 - begin));
        return first < end
                ? Flux.defer(() -> Flux.just(Unpooled.wrappedBuffer(bytes, first, end - first)))
                : Flux.empty();
    }

    private Mono<Flux<ByteBuf>> open(PackedMember member, ObjectRef object, ByteRange range, OpenedMembers opened) {
        Flux<ByteBuf> again = Flux.defer(() -> fetch(member, object, range).flatMapMany(ObjectContent::body));
        return cached(member, object, range)
                .switchIfEmpty(Mono.defer(
                        () -> fetch(member, object, range).map(content -> opened.add(content, longestWait, again))));
    }

    private Mono<Flux<ByteBuf>> cached(PackedMember member, ObjectRef object, ByteRange range) {
        return Mono.justOrEmpty(cache)
                .flatMap(resident -> resident.head(from, object)
                        .filter(cached -> member.listed().isSame(Listed.of(cached.head())))
                        .flatMap(cached ->
                                resident.bytes(from, object, cached.head().version(), range)));
    }

    private Mono<ObjectContent> fetch(PackedMember member, ObjectRef object, ByteRange range) {
        ReadRequest whole = ReadRequest.of(object);
        ReadRequest read = range.length() == member.size()
                ? whole
                : whole.withSelection(
                        new ByteSelection.RangeSelection(new RangeSpec.Bounded(range.first(), range.last())));
        return requests.take(1)
                .then(Mono.defer(() -> from.backend().open(read)))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .onErrorMap(BackendException.class, failure -> named(member, failure))
                .flatMap(content -> {
                    if (content.length() == range.length() && member.isOf(content.head())) {
                        return Mono.just(content);
                    }
                    content.discard();
                    return Mono.error(changed(member));
                });
    }

    /** Names the member if it is to blame, of thousands of a shard. */
    private RuntimeException named(PackedMember member, BackendException failure) {
        return switch (failure.kind()) {
            case NO_SUCH_KEY, INVALID_RANGE -> changed(member);
            case ACCESS_DENIED, INVALID_STATE ->
                FetchException.lasting("%s: %s".formatted(place(member), FailureClassifier.text(failure)));
            default -> failure;
        };
    }

    private FetchException changed(PackedMember member) {
        return FetchException.lasting(
                "%s has changed or gone since the job listed it: submit the job again".formatted(place(member)));
    }

    private String place(PackedMember member) {
        return "s3://" + from.name() + "/" + member.key();
    }
}
