package io.millrace.gateway.job;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.job.UploadNotes.Part;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** An object of a backend, copied in parts: inside the backend where it can, else through here. Its version can be pinned. */
record CopyParts(JobWrites writes, CopiedObject object, Mono<NewObject> described) implements PartSource {
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
    public Transfer transfer() {
        return object.transfer();
    }

    @Override
    public Mono<Part> send(Upload upload, int number, ByteRange range, Transfer.Part counter) {
        Backend backend = to().backend();
        Mono<StoredPart> stored = object.isInside()
                ? backend.copyPart(upload, number, pinned(), Optional.of(range), HeaderList.EMPTY)
                        .doOnNext(copied -> transfer().present(range.length()))
                : backend.putPart(
                        upload,
                        number,
                        HeaderList.EMPTY,
                        UploadBody.of(range.length(), counter.counted(writes.limited(object.bytes(range)))));
        return stored.map(part -> new Part(number, part.eTag().toString(), range.length(), Map.of()));
    }

    private CopySource pinned() {
        Conditions same = object.head()
                .eTag()
                .map(tag ->
                        new Conditions(Optional.of(List.of(tag)), Optional.empty(), Optional.empty(), Optional.empty()))
                .orElse(Conditions.NONE);
        CopySource what = object.source().what();
        return new CopySource(what.object(), what.versionId(), same);
    }

    @Override
    public long moved(long bytes) {
        return object.isInside() ? 0 : bytes;
    }

    @Override
    public void check(List<Part> parts) {
        // Each was read of one version, with its length.
    }
}
