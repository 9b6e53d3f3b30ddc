package io.millrace.gateway.jobs.task;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.progress.TaskResult;
import io.millrace.gateway.jobs.progress.TransferProgress;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.jobs.upload.ParallelPartUploader;
import io.millrace.gateway.jobs.upload.StoppableWrites;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.copy.CopyOrigin;
import io.millrace.gateway.objects.copy.StreamedCopy;
import reactor.core.publisher.Mono;

/**
 * Copies objects with their metadata: inside one backend if possible, otherwise as a stream through the gateway. Large
 * objects are copied in parts of one version ({@link ParallelPartUploader}). Holds at most one buffer of each stream.
 */
public final class WholeObjectCopier {
    private final StoppableWrites writes;
    private final ParallelPartUploader parts;

    public WholeObjectCopier(StoppableWrites writes, ParallelPartUploader parts) {
        this.writes = writes;
        this.parts = parts;
    }

    /**
     * Copies an object.
     *
     * @param name of its plan item
     */
    Mono<TaskResult> copy(String name, CopyOrigin source, BucketView to, ObjectRef target, TransferProgress transfer) {
        return source.bucket()
                .backend()
                .head(ReadRequest.of(source.what().object()))
                .flatMap(found -> copy(new ObjectToCopy(name, source, found.head(), to, target, transfer)));
    }

    private Mono<TaskResult> copy(ObjectToCopy object) {
        long size = object.head().size();
        object.transfer().expect(size);
        if (object.isInside() && size <= PartPlan.MOST_AT_ONCE) {
            Mono<WriteResult> copy = object.to().backend().copy(object.source().what(), plain(object));
            return writes.fenced(object.to(), object.target(), copy).map(written -> TaskResult.done(size, 0));
        }
        return isInParts(object)
                ? parts.store(new MultipartCopySource(writes, object, described(object)))
                : object.transfer()
                        .part(counter -> described(object).flatMap(target -> whole(object, target, counter)));
    }

    private static boolean isInParts(ObjectToCopy object) {
        return object.head().size() > (object.isInside() ? PartPlan.MOST_AT_ONCE : PartPlan.IN_PARTS)
                && object.to().backend().capabilities().contains(Capability.MULTIPART)
                && object.head().version().hasStrongValidator();
    }

    private Mono<TaskResult> whole(ObjectToCopy object, NewObject target, TransferProgress.Part counter) {
        Backend backend = object.to().backend();
        long size = object.head().size();
        UploadBody body = UploadBody.of(size, counter.counted(writes.limited(object.bytes())));
        return writes.fenced(object.to(), object.target(), backend.put(target, body))
                .map(written -> TaskResult.done(size, size));
    }

    private static Mono<NewObject> described(ObjectToCopy object) {
        return new StreamedCopy(object.source(), HeaderList.EMPTY).described(object.head(), plain(object));
    }

    private static NewObject plain(ObjectToCopy object) {
        return new NewObject(object.target(), HeaderList.EMPTY, WriteCondition.ALWAYS);
    }
}
