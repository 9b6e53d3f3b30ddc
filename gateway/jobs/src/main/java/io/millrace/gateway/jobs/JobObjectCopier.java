package io.millrace.gateway.jobs;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.ResidentObjectReader;
import io.millrace.gateway.objects.write.CopyOrigin;
import io.millrace.gateway.objects.write.OpenedCopyOrigin;
import io.millrace.gateway.objects.write.StreamedCopy;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Copies the objects of jobs, with their metadata: inside one backend if possible, otherwise as a stream through the
 * gateway, from the cache where it holds all bytes of the version. Large objects are copied in parts of one version
 * ({@link ParallelPartUploader}). A listed object costs no HEAD request unless its size or invalid metadata in the
 * cache need one. Holds at most one buffer of each stream.
 *
 * @param cache empty if there is none
 */
record JobObjectCopier(StoppableWrites writes, ParallelPartUploader parts, Optional<ResidentObjectReader> cache) {
    /** The source and the target of one copy. */
    private record Request(
            PlanItem item, CopyOrigin source, BucketView to, ObjectRef target, ObjectAttemptProgress transfer) {
        boolean isInside() {
            return source.isInside(to);
        }

        boolean isListedUpTo(long size) {
            return item.listed().filter(listed -> listed.size() <= size).isPresent();
        }
    }

    /** Copies an object. */
    Mono<TaskResult> copy(
            PlanItem item, CopyOrigin source, BucketView to, ObjectRef target, ObjectAttemptProgress transfer) {
        Request request = new Request(item, source, to, target, transfer);
        if (request.isInside() && request.isListedUpTo(PartPlan.MOST_AT_ONCE)) {
            return copyInside(request, item.size());
        }
        Mono<TaskResult> requested = !request.isInside() && request.isListedUpTo(PartPlan.IN_PARTS)
                ? copyOpened(request)
                : copyAfterHead(request);
        return cachedHead(request)
                .flatMap(cached -> copyCached(request, cached))
                .defaultIfEmpty(requested)
                .flatMap(copied -> copied);
    }

    /** Returns the copy by a cached head; empty if the cache saves no request. */
    private Mono<Mono<TaskResult>> copyCached(Request request, ResidentObjectReader.CachedHead cached) {
        if (cached.fresh()) {
            return Mono.just(copy(request, cached.head()));
        }
        boolean told = request.item().listed().isPresent() && cached.freshIfListed();
        // Bytes that are fetched bring metadata of their own, and never fail because the object has changed since it
        // was listed.
        return cache.orElseThrow()
                .isResident(
                        request.source().bucket(),
                        request.source().what().object(),
                        cached.head().version())
                .filter(resident -> resident)
                .map(resident -> told ? copy(request, cached.head()) : copyAfterHead(request));
    }

    /** Returns the cached head if the listing shows the same object. */
    private Mono<ResidentObjectReader.CachedHead> cachedHead(Request request) {
        return Mono.justOrEmpty(cache)
                .flatMap(cached -> cached.head(
                        request.source().bucket(), request.source().what().object()))
                .filter(cached -> request.item()
                        .listed()
                        .filter(listed -> !listed.isSame(Listed.of(cached.head())))
                        .isEmpty());
    }

    private Mono<TaskResult> copyAfterHead(Request request) {
        return request.source().bucket().backend().head(read(request)).flatMap(found -> copy(request, found.head()));
    }

    private static ReadRequest read(Request request) {
        return ReadRequest.of(request.source().what().object()).withChecksums();
    }

    private Mono<TaskResult> copy(Request request, ObjectHead head) {
        ObjectToCopy object = new ObjectToCopy(
                request.item().name(),
                request.source(),
                head,
                request.to(),
                request.target(),
                request.transfer(),
                cache);
        long size = head.size();
        if (object.isInside() && size <= PartPlan.MOST_AT_ONCE) {
            return copyInside(request, size);
        }
        object.transfer().expect(size);
        return isInParts(object)
                ? parts.store(new MultipartCopySource(writes, object, described(object)))
                : stream(request, head, object.bytes());
    }

    private static boolean isInParts(ObjectToCopy object) {
        return object.head().size() > (object.isInside() ? PartPlan.MOST_AT_ONCE : PartPlan.IN_PARTS)
                && object.to().backend().capabilities().contains(Capability.MULTIPART)
                && object.head().version().hasStrongValidator();
    }

    private Mono<TaskResult> copyInside(Request request, long size) {
        request.transfer().expect(size);
        Mono<WriteResult> copy = request.to().backend().copy(request.source().what(), plain(request.target()));
        return writes.turn(size)
                .then(Mono.defer(() -> writes.fenced(request.to(), request.target(), copy)))
                .map(written -> TaskResult.done(size, 0));
    }

    /** Copies with one request to the source: its response has the metadata and the bytes. */
    private Mono<TaskResult> copyOpened(Request request) {
        return request.source()
                .bucket()
                .backend()
                .open(read(request))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .flatMap(content -> {
                    if (content.length() > PartPlan.IN_PARTS) {
                        content.discard();
                        return copyAfterHead(request);
                    }
                    return OpenedCopyOrigin.use(
                            content,
                            opened ->
                                    stream(request, opened.head(), opened.body().pieces()));
                });
    }

    private Mono<TaskResult> stream(Request request, ObjectHead head, Flux<ByteBuf> bytes) {
        long size = head.size();
        request.transfer().expect(size);
        return request.transfer()
                .part(counter -> {
                    Flux<ByteBuf> checked =
                            new ContentChecksums(ObjectToCopy.checksums(head)).checked(writes.limited(bytes), size);
                    UploadBody body = UploadBody.of(size, counter.counted(checked));
                    Mono<WriteResult> copied = new StreamedCopy(request.source(), HeaderList.EMPTY)
                            .write(
                                    new OpenedCopyOrigin(head, body),
                                    request.to().backend(),
                                    plain(request.target()));
                    return writes.fenced(request.to(), request.target(), copied);
                })
                .map(written -> TaskResult.done(size, size));
    }

    private static Mono<NewObject> described(ObjectToCopy object) {
        return new StreamedCopy(object.source(), HeaderList.EMPTY).described(object.head(), plain(object.target()));
    }

    private static NewObject plain(ObjectRef target) {
        return new NewObject(target, HeaderList.EMPTY, WriteCondition.ALWAYS);
    }
}
