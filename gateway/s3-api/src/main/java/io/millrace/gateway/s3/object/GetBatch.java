package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.LazyBucketSavings;
import io.millrace.gateway.objects.derived.MemberViews;
import io.millrace.gateway.objects.derived.SampleMember;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.gateway.s3.bucket.ReadBucketFinder;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.BatchTally;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.async.ExecutedCall;
import io.millrace.kit.share.FairSemaphore;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The handler of batches: it sends the items as one tar, in the order asked. Each is authorized on its own, and read as
 * by a GET, or asked for as by a HEAD.
 */
final class GetBatch implements S3Handler {
    /** Batches that are answered at a time; further ones wait, and identities take turns. */
    static final int MOST = 32;

    static final int MOST_WAITING = 256;

    /** How often an item is asked for again that a bound of the gateway keeps out, within half a minute. */
    static final int REPEATS = 8;

    /** The pause before it is asked for again; each further one is twice as long. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    /** Samples whose members are looked up before they are needed: as many of up to a thousand keys are in memory. */
    static final int SAMPLES_AHEAD = 8;

    private static final HeaderList HEADERS = HeaderList.EMPTY.with("content-type", "application/x-tar");

    private final ReadBucketFinder buckets;
    private final ObjectReadHandler reads;
    private final FairSemaphore turns =
            new FairSemaphore(MOST, MOST_WAITING, () -> new S3Exception(S3ErrorCode.SLOW_DOWN));

    GetBatch(ReadBucketFinder buckets, ObjectReadHandler reads) {
        this.buckets = buckets;
        this.reads = reads;
    }

    /** The header by which a range is asked for, or a member in the version in which its sample was found. */
    private record OneHeader(String name, String value) implements RequestHeaders {
        @Override
        public List<String> all(String header) {
            return header.equals(name) ? List.of(value) : List.of();
        }

        @Override
        public List<String> names() {
            return List.of(name);
        }
    }

    /** The reads of the items of one batch, by any thread. */
    private final class ItemReads {
        private final AuthorizedRequest authorized;
        private final BatchRequest batch;
        private final BitSet denied;
        private final BatchTally tally;
        private final RequestCacheControl client;

        /** The buckets of objects and those of members, by name. */
        private final ConcurrentMap<String, BucketView> ofObjects = new ConcurrentHashMap<>();

        private final ConcurrentMap<String, BucketView> ofMembers = new ConcurrentHashMap<>();

        ItemReads(AuthorizedRequest authorized, BatchRequest batch, BitSet denied, BatchTally tally) {
            this.authorized = authorized;
            this.batch = batch;
            this.denied = denied;
            this.tally = tally;
            this.client =
                    RequestCacheControl.parse(authorized.request().headers().all("cache-control"));
        }

        /** Returns the entries of all items, in their order. */
        Flux<BatchEntry> entries() {
            Flux<Integer> numbers = Flux.range(0, batch.items().size());
            return batch.items().stream().anyMatch(BatchItem::isSample)
                    ? numbers.flatMapSequential(this::ofItem, SAMPLES_AHEAD, 1)
                    : numbers.map(this::entry);
        }

        private Flux<BatchEntry> ofItem(int number) {
            BatchItem item = batch.items().get(number);
            if (!item.isSample() || denied.get(number)) {
                return Flux.just(entry(number));
            }
            // Up to a thousand names are looked at for one, for which no event loop has the time.
            return ExecutedCall.on(
                            Schedulers.parallel()::schedule,
                            () -> onceMore(
                                    MemberViews.sample(bucket(item, true), item.key(), item.sample()),
                                    FIRST_PAUSE,
                                    REPEATS),
                            closing -> closing)
                    .flatMap(Function.identity())
                    .flatMapMany(members -> ofSample(number, item, members))
                    .onErrorResume(failure -> Flux.just(failed(number, hidden(failure, item))));
        }

        private Flux<BatchEntry> ofSample(int number, BatchItem item, List<SampleMember> members) {
            tally.addItems(members.size() - 1);
            return Flux.range(0, members.size()).map(i -> {
                SampleMember member = members.get(i);
                RequestHeaders sameVersion =
                        new OneHeader("if-match", member.tag().toString());
                Mono<S3Response> response = read(item, member.key(), sameVersion)
                        .onErrorMap(BackendException.class, GetBatch::ofReplacedArchive);
                return new BatchEntry(number, name(item, member.key()), i == 0 ? members.size() : 0, response);
            });
        }

        private BatchEntry entry(int number) {
            BatchItem item = batch.items().get(number);
            if (denied.get(number)) {
                return failed(number, new S3Exception(S3ErrorCode.ACCESS_DENIED));
            }
            RequestHeaders headers = item.range()
                    .<RequestHeaders>map(range -> new OneHeader("range", range))
                    .orElse(RequestHeaders.NONE);
            Mono<S3Response> response = read(item, item.read(), headers).onErrorMap(failure -> hidden(failure, item));
            return new BatchEntry(number, name(item, item.read()), 0, response);
        }

        private BatchEntry failed(int number, Throwable failure) {
            BatchItem item = batch.items().get(number);
            return new BatchEntry(number, name(item, item.read()), 0, Mono.error(failure));
        }

        private String name(BatchItem item, ObjectKey key) {
            return batch.hidesBuckets() ? key.value() : item.bucket() + "/" + key;
        }

        /**
         * Returns the response to a GET for a key of an item, or to a HEAD; fails as that does. What is served counts
         * for the savings of its bucket, as by a GET, when it is opened: of a batch that breaks off, some items ahead
         * of that too.
         */
        private Mono<S3Response> read(BatchItem item, ObjectKey key, RequestHeaders headers) {
            boolean bodyWanted = !batch.wantsHeads();
            return Mono.defer(() -> {
                BucketView bucket = bucket(item, item.member().isPresent());
                LazyBucketSavings savings = bucket(item, false).savings();
                return onceMore(
                                reads.read(bucket, bucket.at(key), headers, client, HeaderList.EMPTY, bodyWanted),
                                FIRST_PAUSE,
                                REPEATS)
                        .doOnNext(response -> savings.create()
                                .served(bodyWanted ? response.body().length() : 0));
            });
        }

        private Throwable hidden(Throwable failure, BatchItem item) {
            return failure instanceof BackendException ofBackend
                    ? authorized.hideMissingKey(ofBackend, item.bucket(), item.read())
                    : failure;
        }

        private BucketView bucket(BatchItem item, boolean ofItsMembers) {
            return (ofItsMembers ? ofMembers : ofObjects)
                    .computeIfAbsent(item.bucket().value(), name -> buckets.find(item.bucket(), ofItsMembers));
        }
    }

    /**
     * Repeats what a bound of the gateway keeps out, after pauses. Clients come again after a SlowDown, but could only
     * do so for the whole batch.
     */
    private static <T> Mono<T> onceMore(Mono<T> call, Duration pause, int repeats) {
        return call.onErrorResume(
                BackendException.class,
                failure -> failure.kind() == FailureKind.BUSY && repeats > 0
                        ? Mono.delay(pause).then(onceMore(call, pause.multipliedBy(2), repeats - 1))
                        : Mono.error(failure));
    }

    /** A sample of two versions would look like one: its client asks again, for all of it. */
    private static BackendException ofReplacedArchive(BackendException failure) {
        return failure.kind() == FailureKind.PRECONDITION_FAILED || failure.kind() == FailureKind.NO_SUCH_KEY
                ? new BackendException(FailureKind.VERSION_CHANGED, "the archive of a sample was replaced")
                : failure;
    }

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        if (authorized.request().body().announcedLength() > BatchRequest.MAX_BYTES) {
            throw new S3Exception(S3ErrorCode.ENTITY_TOO_LARGE, "The document of a batch has at most 1 MiB.");
        }
        // Some thousand items are decided on: no event loop has the time for that, though their document be short.
        return authorized.withDocument(
                BatchRequest.MAX_BYTES,
                document -> ExecutedCall.on(
                                Schedulers.parallel()::schedule,
                                () -> respond(authorized, BatchRequest.parse(document, authorized.bucket())),
                                closing -> closing)
                        .flatMap(Function.identity()));
    }

    private Mono<S3Response> respond(AuthorizedRequest authorized, BatchRequest batch) {
        // Before they are decided on: that costs as much if one is denied then.
        BatchTally tally = authorized.countBatch(batch.items().size());
        BitSet denied = denied(authorized, batch);
        BatchTar tar = new BatchTar(
                authorized.request().requestId(),
                batch,
                new ItemReads(authorized, batch, denied, tally).entries(),
                tally);
        return Mono.deferContextual(context -> {
            Flux<ReferenceCounted> inTurn = turns.run(TierRequest.from(context).party(), tar);
            return FirstBufferAwaiter.of(inTurn)
                    .map(first -> new S3Response(
                            200, HEADERS, new S3Response.Chunked(first.body().cast(ByteBuf.class), first::giveUp)));
        });
    }

    /**
     * Returns the numbers of the items that the caller may not read.
     *
     * @throws S3Exception AccessDenied if there are some, and the batch does not go on without them
     */
    private static BitSet denied(AuthorizedRequest authorized, BatchRequest batch) {
        BitSet denied = new BitSet();
        for (int i = 0; i < batch.items().size(); i++) {
            BatchItem item = batch.items().get(i);
            boolean isAllowed = item.member().isPresent()
                    ? authorized.canReadMembers(item.bucket(), item.key())
                    : authorized.canRead(item.bucket(), item.key());
            if (!isAllowed && !batch.goesOn()) {
                throw BatchTar.withItem(new S3Exception(S3ErrorCode.ACCESS_DENIED), i);
            }
            denied.set(i, !isAllowed);
        }
        return denied;
    }
}
