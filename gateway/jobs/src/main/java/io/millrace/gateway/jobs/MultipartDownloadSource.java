package io.millrace.gateway.jobs;

import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.plan.ExpectedChecksum;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.jobs.store.PendingUploadStore.Part;
import io.millrace.gateway.objects.bucket.BucketView;
import io.netty.buffer.ByteBuf;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Fetches the content of a URL in parts.
 *
 * @param tries failed connections in a row before a part fails
 * @param object its size and strong ETag must be known
 */
record MultipartDownloadSource(
        HttpFetcher fetcher, StoppableWrites writes, int tries, DownloadItem download, DownloadMetadata object)
        implements MultipartSource {
    /** The largest download: all parts of an upload in S3's largest size. */
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
    public ObjectAttemptProgress transfer() {
        return download.transfer();
    }

    @Override
    public Mono<Part> send(MultipartUpload upload, int number, ByteRange range, ObjectAttemptProgress.Part counter) {
        Flux<ByteBuf> pieces = ResumableDownload.of(fetcher, object, range.first(), range.last() + 1, tries);
        return put(upload, number, range.length(), counter.counted(writes.limited(pieces)), combinable());
    }

    @Override
    public long moved(long bytes) {
        return bytes;
    }

    @Override
    public void check(List<Part> parts) {
        ContentChecksums.requireCombined(combinable(), parts);
    }

    private List<ExpectedChecksum> combinable() {
        return object.sums().stream().filter(ExpectedChecksum::canBeCombined).toList();
    }
}
