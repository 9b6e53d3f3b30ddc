package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.bucket.ReadBucketFinder;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.async.ExecutedCall;
import io.millrace.kit.share.FairSemaphore;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Answers a batch: its items as one tar, in the order asked. Each item is authorized on its own, and read as by a GET.
 */
final class GetBatch implements S3Handler {
    /** Batches that are answered at a time; further ones wait, and identities take turns. */
    static final int MOST = 32;

    static final int MOST_WAITING = 256;

    /** How often an item is asked for again that a bound of the gateway keeps out, within half a minute. */
    static final int REPEATS = 8;

    /** The pause before it is asked for again; each further one is twice as long. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    private static final HeaderList HEADERS = HeaderList.EMPTY.with("content-type", "application/x-tar");

    private final ReadBucketFinder buckets;
    private final ObjectReadHandler reads;
    private final FairSemaphore turns =
            new FairSemaphore(MOST, MOST_WAITING, () -> new S3Exception(S3ErrorCode.SLOW_DOWN));

    GetBatch(ReadBucketFinder buckets, ObjectReadHandler reads) {
        this.buckets = buckets;
        this.reads = reads;
    }

    /** The reads of the items of one batch, for one thread at a time. */
    private final class ItemReads {
        private final AuthorizedRequest authorized;
        private final List<BatchItem> items;
        private final BitSet denied;

        /** The buckets of objects and those of members, by name. */
        private final Map<String, BucketView> ofObjects = new HashMap<>();

        private final Map<String, BucketView> ofMembers = new HashMap<>();

        ItemReads(AuthorizedRequest authorized, List<BatchItem> items, BitSet denied) {
            this.authorized = authorized;
            this.items = items;
            this.denied = denied;
        }

        /** Returns the response to a GET for an item; fails as that does. */
        Mono<S3Response> read(int number) {
            if (denied.get(number)) {
                return Mono.error(new S3Exception(S3ErrorCode.ACCESS_DENIED));
            }
            BatchItem item = items.get(number);
            return Mono.defer(() -> {
                        BucketView bucket = bucket(item);
                        return read(bucket, bucket.at(item.read()), item, FIRST_PAUSE, REPEATS);
                    })
                    .onErrorMap(
                            BackendException.class,
                            failure -> authorized.hideMissingKey(failure, item.bucket(), item.read()));
        }

        /** Clients come again after a SlowDown, but could only do so for the whole batch. */
        private Mono<S3Response> read(
                BucketView bucket, ObjectRef object, BatchItem item, Duration pause, int repeats) {
            return reads.read(bucket, object, item.headers(), HeaderList.EMPTY, true)
                    .onErrorResume(
                            BackendException.class,
                            failure -> failure.kind() == FailureKind.BUSY && repeats > 0
                                    ? Mono.delay(pause)
                                            .then(read(bucket, object, item, pause.multipliedBy(2), repeats - 1))
                                    : Mono.error(failure));
        }

        private BucketView bucket(BatchItem item) {
            boolean isMember = item.member().isPresent();
            return (isMember ? ofMembers : ofObjects)
                    .computeIfAbsent(item.bucket().value(), name -> buckets.find(item.bucket(), isMember));
        }
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
        ItemReads items = new ItemReads(authorized, batch.items(), denied(authorized, batch));
        BatchTar tar = new BatchTar(
                batch, items::read, authorized.countBatch(batch.items().size()));
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
