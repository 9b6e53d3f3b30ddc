package io.millrace.gateway.jobs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.ShardArrangement.Located;
import io.millrace.gateway.jobs.ShardArrangement.Shard;
import io.millrace.gateway.jobs.plan.JobSpec.ShardNames;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PrefixRenaming;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.jobs.store.PendingUploadStore.Part;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.gateway.objects.bucket.BucketView;
import io.netty.buffer.ByteBuf;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Job task for one shard: stores its tar, and then its index. Either that is there already, of the same arrangement, is
 * left as it is.
 *
 * @param appends whether no tar of another pack may be replaced: its number was free when the job began
 * @param begun when the job first ran; shards written to the target since then are its work
 */
record PackTask(
        ShardReader reader,
        StoppableWrites writes,
        ParallelPartUploader parts,
        BucketView to,
        PrefixRenaming names,
        boolean appends,
        Instant begun)
        implements ObjectTask {
    /** The metadata that name the arrangement of which an object was made. */
    private static final String MARK = "x-amz-meta-millrace-pack";

    /**
     * A tar that is stored in parts. Any part can be made again, so a kill loses only those under way.
     *
     * @param starts see {@link ShardReader#tar}
     */
    private record InParts(
            ShardReader reader,
            StoppableWrites writes,
            String name,
            Shard shard,
            BucketView to,
            NewObject object,
            ObjectAttemptProgress transfer,
            NavigableMap<Long, Located> starts,
            boolean appends)
            implements MultipartSource {
        @Override
        public ObjectRef target() {
            return object.object();
        }

        @Override
        public String validator() {
            return shard.hash();
        }

        @Override
        public long size() {
            return shard.bytes();
        }

        @Override
        public Mono<NewObject> described() {
            return Mono.just(object);
        }

        @Override
        public Mono<Part> send(
                MultipartUpload upload, int number, ByteRange range, ObjectAttemptProgress.Part counter) {
            Flux<ByteBuf> bytes = counter.counted(writes.limited(reader.tar(shard, range, starts)));
            return put(upload, number, range.length(), bytes, List.of());
        }

        @Override
        public long moved(long bytes) {
            return bytes;
        }

        @Override
        public Mono<WriteResult> complete(MultipartUpload upload, List<CompletedPart> parts) {
            return written(
                    appends, condition -> to.backend().completeUpload(upload, parts, HeaderList.EMPTY, condition));
        }

        /** Accepts all parts: each was made of one arrangement, with its length. */
        @Override
        public void check(List<Part> parts) {}
    }

    PackTask {
        begun = begun.truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public Mono<TaskResult> run(PlanItem item, boolean mayBeDone, ObjectAttemptProgress transfer) {
        return reader.arrangement()
                .shard(PackPlan.number(item))
                .flatMap(shard -> tar(item, shard, transfer)
                        .flatMap(ended -> index(item, shard).thenReturn(ended)));
    }

    private Mono<TaskResult> tar(PlanItem item, Shard shard, ObjectAttemptProgress transfer) {
        NewObject tar = object(item.key(), "application/x-tar", shard);
        Mono<Optional<TaskResult>> existing =
                existing(tar.object(), shard, shard.bytes(), appends).map(found -> found.map(this::ended));
        return existing.flatMap(ended -> ended.map(Mono::just)
                .orElseGet(() -> reader.requireReadable(shard)
                        .then(Mono.defer(() -> store(item, shard, tar, transfer)))
                        // Another pack has stored it meanwhile, or this one has, and was not told.
                        .onErrorResume(
                                failure -> isOf(failure, FailureKind.PRECONDITION_FAILED),
                                failure -> existing.flatMap(
                                        stored -> Mono.justOrEmpty(stored).switchIfEmpty(Mono.error(failure))))));
    }

    /**
     * Returns the object at the target if it was made of this shard.
     *
     * @param othersStay whether another one is a failure
     */
    private Mono<Optional<ObjectHead>> existing(ObjectRef target, Shard shard, long bytes, boolean othersStay) {
        return to.backend()
                .head(ReadRequest.of(target))
                .map(found -> made(found.head(), shard, bytes, othersStay))
                .onErrorResume(FailureClassifier::isAbsent, absent -> Mono.just(Optional.empty()));
    }

    /** Returns an object if it was made of this shard. Two packs at a time would leave some shards of both. */
    private Optional<ObjectHead> made(ObjectHead head, Shard shard, long bytes, boolean othersStay) {
        Optional<String> mark = head.headers().first(MARK);
        if (mark.equals(Optional.of(shard.hash())) && head.size() == bytes) {
            return Optional.of(head);
        }
        if (othersStay) {
            throw FetchException.lasting(
                    "the target has another object of its name since this pack began to append: delete the shards that"
                            + " this one has stored, and submit it again");
        }
        if (mark.isPresent() && head.lastModified().orElse(Instant.EPOCH).isAfter(begun.plusSeconds(1))) {
            throw FetchException.lasting(
                    "another pack has stored it since this one began: when that has ended, submit the one again that"
                            + " is to stay");
        }
        return Optional.empty();
    }

    private TaskResult ended(ObjectHead existing) {
        return existing.lastModified().orElse(Instant.EPOCH).isBefore(begun)
                ? TaskResult.skipped(existing.size(), "the target has it")
                : TaskResult.done(existing.size(), 0);
    }

    private Mono<TaskResult> store(PlanItem item, Shard shard, NewObject tar, ObjectAttemptProgress transfer) {
        long size = shard.bytes();
        transfer.expect(size);
        if (size > PartPlan.IN_PARTS && to.backend().capabilities().contains(Capability.MULTIPART)) {
            return parts.store(new InParts(
                    reader, writes, item.name(), shard, to, tar, transfer, new ConcurrentSkipListMap<>(), appends));
        }
        if (size > PartPlan.MOST_AT_ONCE) {
            return Mono.error(FetchException.lasting(
                    "it has %d GiB, and its target takes no multipart uploads: make smaller shards"
                            .formatted(size >> 30)));
        }
        return transfer.part(counter -> written(appends, condition -> {
                    UploadBody body = UploadBody.of(
                            size, counter.counted(writes.limited(reader.tar(shard, new ByteRange(0, size - 1)))));
                    NewObject object = new NewObject(tar.object(), tar.headers(), condition);
                    return writes.fenced(to, tar.object(), to.backend().put(object, body));
                }))
                .map(written -> TaskResult.done(size, size));
    }

    /**
     * Writes an object, of an append only if there is none. A server that evaluates no conditions refuses such a write
     * before it begins: there the look before it has to do.
     */
    private static Mono<WriteResult> written(boolean appends, Function<WriteCondition, Mono<WriteResult>> write) {
        return appends
                ? write.apply(new WriteCondition.IfAbsent())
                        .onErrorResume(
                                failure -> isOf(failure, FailureKind.UNSUPPORTED),
                                refused -> write.apply(WriteCondition.ALWAYS))
                : write.apply(WriteCondition.ALWAYS);
    }

    private static boolean isOf(Throwable failure, FailureKind kind) {
        return failure instanceof BackendException backend && backend.kind() == kind;
    }

    private Mono<Void> index(PlanItem item, Shard shard) {
        NewObject index = object(new ObjectKey(ShardNames.index(item.name())), "text/plain", shard);
        UploadBody body = UploadBody.of(shard.indexBytes(), writes.limited(reader.index(shard)));
        return existing(index.object(), shard, shard.indexBytes(), false)
                .filter(Optional::isEmpty)
                .flatMap(
                        absent -> writes.fenced(to, index.object(), to.backend().put(index, body)))
                .then();
    }

    private NewObject object(ObjectKey name, String type, Shard shard) {
        HeaderList headers = HeaderList.EMPTY.with("content-type", type).with(MARK, shard.hash());
        return new NewObject(to.at(names.renamed(name)), headers, WriteCondition.ALWAYS);
    }
}
