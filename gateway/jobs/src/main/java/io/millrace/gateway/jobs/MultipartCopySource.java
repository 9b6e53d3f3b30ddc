package io.millrace.gateway.jobs;

import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.PendingUploadStore.Part;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * The object that a copy job stores in parts, each of which it copies: inside the backend if possible, otherwise
 * through the gateway. Requires a version with a strong validator.
 */
record MultipartCopySource(StoppableWrites writes, ObjectToCopy object, Mono<NewObject> described)
        implements MultipartSource {
    @Override
    public String name() {
        return object.name();
    }

    @Override
    public BucketView to() {
        return object.to();
    }

    @Override
    public ObjectRef target() {
        return object.target();
    }

    @Override
    public String validator() {
        return object.head().version().validator();
    }

    @Override
    public long size() {
        return object.head().size();
    }

    @Override
    public ObjectAttemptProgress transfer() {
        return object.transfer();
    }

    @Override
    public Mono<Void> turn(long bytes) {
        return object.isInside() ? writes.turn(bytes) : Mono.empty();
    }

    @Override
    public Mono<Part> send(MultipartUpload upload, int number, ByteRange range, ObjectAttemptProgress.Part counter) {
        return object.isInside()
                ? copied(upload, number, range)
                : put(
                        upload,
                        number,
                        range.length(),
                        counter.counted(writes.limited(object.bytes(range))),
                        object.checksums());
    }

    private Mono<Part> copied(MultipartUpload upload, int number, ByteRange range) {
        return to().backend()
                .copyPart(upload, number, pinned(), Optional.of(range), HeaderList.EMPTY)
                .doOnNext(copied -> transfer().present(range.length()))
                .map(part -> new Part(number, part.eTag().toString(), range.length(), Map.of()));
    }

    private CopySource pinned() {
        ReadConditions same = object.head()
                .eTag()
                .map(tag -> new ReadConditions(
                        Optional.of(List.of(tag)), Optional.empty(), Optional.empty(), Optional.empty()))
                .orElse(ReadConditions.NONE);
        CopySource what = object.source().what();
        return new CopySource(what.object(), what.versionId(), same);
    }

    @Override
    public long moved(long bytes) {
        return object.isInside() ? 0 : bytes;
    }

    @Override
    public void check(List<Part> parts) {
        // Each part was read of one version, with its length.
        ContentChecksums.requireCombined(object.checksums(), parts);
    }
}
