package io.millrace.gateway.job;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.write.CopySources;
import io.millrace.gateway.write.StreamedCopy;
import reactor.core.publisher.Mono;

/**
 * Copies whole objects with all that is told of them: inside one backend where it can, else as a stream through here; large ones in
 * parts ({@link PartUploads}), each read of the same version. Nothing larger than a piece is held.
 */
final class ObjectCopies {
    private final JobWrites writes;
    private final PartUploads parts;

    ObjectCopies(JobWrites writes, PartUploads parts) {
        this.writes = writes;
        this.parts = parts;
    }

    /** @param name of the object's item */
    Mono<Ended> copy(String name, CopySources.Source source, BucketView to, ObjectRef target, Transfer transfer) {
        return source.bucket()
                .backend()
                .head(ReadRequest.of(source.what().object()))
                .flatMap(found -> copy(new CopiedObject(name, source, found.head(), to, target, transfer)));
    }

    private Mono<Ended> copy(CopiedObject object) {
        long size = object.head().size();
        object.transfer().expect(size);
        if (object.isInside() && size <= PartPlan.MOST_AT_ONCE) {
            Mono<Written> copy = object.to().backend().copy(object.source().what(), plain(object));
            return writes.fenced(object.to(), object.target(), copy).map(written -> Ended.done(size, 0));
        }
        return isInParts(object)
                ? parts.store(new CopyParts(writes, object, described(object)))
                : object.transfer()
                        .part(counter -> described(object).flatMap(target -> whole(object, target, counter)));
    }

    private static boolean isInParts(CopiedObject object) {
        return object.head().size() > (object.isInside() ? PartPlan.MOST_AT_ONCE : PartPlan.IN_PARTS)
                && object.to().backend().capabilities().contains(Capability.MULTIPART)
                && object.head().version().canBePinned();
    }

    private Mono<Ended> whole(CopiedObject object, NewObject target, Transfer.Part counter) {
        Backend backend = object.to().backend();
        long size = object.head().size();
        UploadBody body = UploadBody.of(size, counter.counted(writes.limited(object.bytes())));
        return writes.fenced(object.to(), object.target(), backend.put(target, body))
                .map(written -> Ended.done(size, size));
    }

    private static Mono<NewObject> described(CopiedObject object) {
        return new StreamedCopy(object.source(), HeaderList.EMPTY).described(object.head(), plain(object));
    }

    private static NewObject plain(CopiedObject object) {
        return new NewObject(object.target(), HeaderList.EMPTY, WriteCondition.ALWAYS);
    }
}
