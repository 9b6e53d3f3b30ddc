package io.millrace.gateway.job;

import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.fetch.HttpFetcher;
import io.millrace.gateway.job.UploadNotes.Part;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What a URL names, fetched in parts.
 *
 * @param object whose size and strong tag are known
 * @param tries for each connection
 */
record DownloadParts(HttpFetcher fetcher, JobWrites writes, int tries, Download download, WebObject object)
        implements PartSource {
    /** S3 takes no larger part than it takes objects at once. */
    static final long MOST = MultipartUploads.MAX_PARTS * PartPlan.MOST_AT_ONCE;

    @Override
    public String name() {
        return download.name();
    }

    @Override
    public BucketView to() {
        return download.to();
    }

    @Override
    public ObjectRef target() {
        return download.target();
    }

    @Override
    public String validator() {
        return object.strongTag().orElseThrow();
    }

    @Override
    public long size() {
        return object.size().orElseThrow();
    }

    @Override
    public Mono<NewObject> described() {
        return Mono.fromCallable(() -> new NewObject(target(), object.fields(), WriteCondition.ALWAYS));
    }

    @Override
    public Transfer transfer() {
        return download.transfer();
    }

    @Override
    public Mono<Part> send(Upload upload, int number, ByteRange range, Transfer.Part counter) {
        Sums sums = new Sums(combinable());
        Flux<ByteBuf> pieces = counter.counted(
                        writes.limited(ResumedBody.of(fetcher, object, range.first(), range.last() + 1, tries)))
                .doOnNext(sums::add);
        return to().backend()
                .putPart(upload, number, HeaderList.EMPTY, UploadBody.of(range.length(), pieces))
                .map(stored -> new Part(number, stored.eTag().toString(), range.length(), sums.values()));
    }

    @Override
    public long moved(long bytes) {
        return bytes;
    }

    @Override
    public void check(List<Part> parts) {
        Map<ChecksumAlgorithm, String> sums = parts.get(0).sums();
        for (Part part : parts.subList(1, parts.size())) {
            sums = Sums.combined(sums, part.sums(), part.size());
        }
        Sums.require(combinable(), sums);
    }

    private List<Checksum> combinable() {
        return object.sums().stream().filter(Checksum::canBeCombined).toList();
    }
}
