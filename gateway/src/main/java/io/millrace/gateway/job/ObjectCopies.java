package io.millrace.gateway.job;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.write.CopySources;
import io.millrace.gateway.write.StreamedCopy;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Copies whole objects with all that is told of them: inside one backend where it can, else as a stream through here; large ones in
 * parts, each read of the same version. Nothing larger than a piece is held.
 */
final class ObjectCopies {
    private final ObjectWrites writes;
    private final Pace bandwidth;

    /** @param bandwidth of the bytes that go through here */
    ObjectCopies(ObjectWrites writes, Pace bandwidth) {
        this.writes = writes;
        this.bandwidth = bandwidth;
    }

    Mono<Ended> copy(CopySources.Source source, BucketView to, ObjectRef target) {
        return source.bucket()
                .backend()
                .head(ReadRequest.of(source.what().object()))
                .flatMap(found -> writes.fenced(to, target, copy(source, found.head(), to, target))
                        .map(written -> Ended.done(
                                found.head().size(),
                                source.isInside(to) ? 0 : found.head().size())));
    }

    private Mono<Written> copy(CopySources.Source source, ObjectHead head, BucketView to, ObjectRef target) {
        Backend backend = to.backend();
        NewObject plain = new NewObject(target, HeaderList.EMPTY, WriteCondition.ALWAYS);
        boolean inside = source.isInside(to);
        if (inside && head.size() <= PartPlan.MOST_AT_ONCE) {
            return backend.copy(source.what(), plain);
        }
        StreamedCopy described = new StreamedCopy(source, HeaderList.EMPTY);
        boolean inParts = head.size() > (inside ? PartPlan.MOST_AT_ONCE : PartPlan.IN_PARTS)
                && backend.capabilities().contains(Capability.MULTIPART)
                && head.version().canBePinned();
        return inParts
                ? described.described(head, plain).flatMap(object -> inParts(source, head, backend, object, inside))
                : whole(source, head, backend, plain, described);
    }

    private Mono<Written> whole(
            CopySources.Source source, ObjectHead head, Backend backend, NewObject target, StreamedCopy described) {
        ReadRequest read = ReadRequest.of(source.what().object());
        return source.bucket()
                .backend()
                .open(head.version().canBePinned() ? read.pinnedTo(head.version()) : read)
                .flatMap(content -> described.write(
                        new CopySources.Opened(content.head(), paced(content.length(), content.body())),
                        backend,
                        target));
    }

    private Mono<Written> inParts(
            CopySources.Source source, ObjectHead head, Backend backend, NewObject target, boolean inside) {
        return backend.createUpload(target)
                .flatMap(begun -> parts(source, head, backend, begun.upload(), inside)
                        .map(part -> new NamedPart(part.number(), part.eTag(), HeaderList.EMPTY))
                        .collectSortedList((a, b) -> Integer.compare(a.number(), b.number()))
                        .flatMap(parts ->
                                backend.completeUpload(begun.upload(), parts, HeaderList.EMPTY, WriteCondition.ALWAYS))
                        .onErrorResume(failure -> backend.abortUpload(begun.upload(), HeaderList.EMPTY)
                                .onErrorComplete()
                                .then(Mono.error(failure))));
    }

    private Flux<StoredPart> parts(
            CopySources.Source source, ObjectHead head, Backend backend, Upload upload, boolean inside) {
        PartPlan plan = PartPlan.of(head.size());
        return Flux.range(1, plan.count())
                .flatMap(
                        number -> {
                            ByteRange range = plan.range(number);
                            return inside
                                    ? backend.copyPart(
                                            upload, number, pinned(source, head), Optional.of(range), HeaderList.EMPTY)
                                    : part(source, head, backend, upload, number, range);
                        },
                        PartPlan.AT_ONCE,
                        1);
    }

    private static CopySource pinned(CopySources.Source source, ObjectHead head) {
        Conditions same = head.eTag()
                .map(tag ->
                        new Conditions(Optional.of(List.of(tag)), Optional.empty(), Optional.empty(), Optional.empty()))
                .orElse(Conditions.NONE);
        return new CopySource(source.what().object(), source.what().versionId(), same);
    }

    private Mono<StoredPart> part(
            CopySources.Source source, ObjectHead head, Backend backend, Upload upload, int number, ByteRange range) {
        ReadRequest read = ReadRequest.of(source.what().object())
                .select(new Selection.Range(new RangeSpec.Closed(range.first(), range.last())))
                .pinnedTo(head.version());
        return source.bucket()
                .backend()
                .open(read)
                .flatMap(content ->
                        backend.putPart(upload, number, HeaderList.EMPTY, paced(content.length(), content.body())));
    }

    private UploadBody paced(long length, Flux<ByteBuf> pieces) {
        return UploadBody.of(length, bandwidth.paced(pieces).doOnDiscard(ByteBuf.class, ByteBuf::release));
    }
}
