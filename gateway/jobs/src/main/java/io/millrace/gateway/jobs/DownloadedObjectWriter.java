package io.millrace.gateway.jobs;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.jobs.plan.ExpectedChecksum;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.jobs.store.TaskResult;
import io.netty.buffer.ByteBuf;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Stores the responses of web servers as objects, once they are complete and correct.
 *
 * @param tries failed connections in a row before a download fails
 */
record DownloadedObjectWriter(
        HttpFetcher fetcher, StoppableWrites writes, int tries, ParallelPartUploader parts, UnrangedDownload blocks) {
    /**
     * Stores a response, or returns the work that does so after the connection is closed.
     *
     * @param body of a complete response
     */
    Mono<Mono<TaskResult>> store(DownloadItem download, DownloadMetadata object, Flux<ByteBuf> body) {
        List<ExpectedChecksum> sums = object.sums();
        if (!object.isFramed() && sums.isEmpty()) {
            throw FetchException.lasting(
                    "its server tells neither its length nor its end, so that a cut would not be seen: give its "
                            + "checksum");
        }
        boolean hasParts = download.to().backend().capabilities().contains(Capability.MULTIPART);
        boolean canBeSplit = hasParts
                && object.canBeSplit()
                && object.line().sums().stream().allMatch(ExpectedChecksum::canBeCombined);
        requireRoom(
                object,
                canBeSplit ? MultipartDownloadSource.MOST : hasParts ? UnrangedDownload.MOST : PartPlan.MOST_AT_ONCE);
        object.size().ifPresent(download.transfer()::expect);
        long size = object.size().orElse(Long.MAX_VALUE);
        if (size > PartPlan.IN_PARTS && canBeSplit) {
            return Mono.just(parts.store(new MultipartDownloadSource(fetcher, writes, tries, download, object)));
        }
        Flux<ByteBuf> pieces = writes.limited(ResumableDownload.of(fetcher, object, body, tries));
        if (size <= PartPlan.MOST_AT_ONCE) {
            return download.transfer()
                    .part(part -> whole(
                            download, object, size, new ContentChecksums(sums).checked(part.counted(pieces), size)))
                    .map(Mono::just);
        }
        if (!hasParts) {
            throw FetchException.lasting("its server sends no length, and its target takes no multipart uploads");
        }
        return download.transfer()
                .part(part -> blocks.store(download, object, part.counted(pieces), new ContentChecksums(sums)))
                .map(Mono::just);
    }

    private static void requireRoom(DownloadMetadata object, long most) {
        if (object.size().orElse(0) > most) {
            throw FetchException.lasting("it has %d bytes; the way its server sends it, its target can take %d GiB"
                    .formatted(object.size().orElse(0), most >> 30));
        }
    }

    private Mono<TaskResult> whole(DownloadItem download, DownloadMetadata object, long size, Flux<ByteBuf> pieces) {
        Backend backend = download.to().backend();
        HeaderList fields = withSum(object, backend);
        UploadBody body = UploadBody.of(size, pieces);
        NewObject target = new NewObject(download.target(), fields, WriteCondition.ALWAYS);
        return writes.fenced(download.to(), download.target(), backend.put(target, body))
                .map(written -> TaskResult.done(size, size));
    }

    /** Adds the expected checksum to the headers; S3 stores one with an object. */
    private static HeaderList withSum(DownloadMetadata object, Backend backend) {
        HeaderList fields = object.fields();
        return object.line().sums().stream()
                .filter(sum -> sum.algorithm().isStoredEverywhere()
                        && backend.capabilities().contains(Capability.CHECKSUMS))
                .findFirst()
                .map(sum -> fields.with(sum.algorithm().headerName(), sum.base64()))
                .orElse(fields);
    }
}
