package io.millrace.gateway.job;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.gateway.fetch.FetchException;
import io.millrace.gateway.fetch.HttpFetcher;
import io.netty.buffer.ByteBuf;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Stores what answers of the web bring, and not before all of it is here and right: as one write while it streams; what is large in
 * parts, side by side ({@link PartUploads}); what does not tell its length in parts that are held in memory ({@link BlockDownloads}).
 */
final class Downloads {
    /** Those that every server of S3 has learnt to keep. */
    private static final Set<ChecksumAlgorithm> KEPT = EnumSet.of(
            ChecksumAlgorithm.CRC32, ChecksumAlgorithm.CRC32C, ChecksumAlgorithm.SHA1, ChecksumAlgorithm.SHA256);

    private final HttpFetcher fetcher;
    private final JobWrites writes;
    private final int tries;
    private final PartUploads parts;
    private final BlockDownloads blocks;

    /** @param tries for each connection */
    Downloads(HttpFetcher fetcher, JobWrites writes, JobUploads uploads, int tries, BlockBudget budget) {
        this.fetcher = fetcher;
        this.writes = writes;
        this.tries = tries;
        this.parts = new PartUploads(writes, uploads);
        this.blocks = new BlockDownloads(writes, uploads, budget);
    }

    /**
     * Stores it, or tells what does when the connection has been given up.
     *
     * @param body of a whole answer
     */
    Mono<Mono<Ended>> store(Download download, WebObject object, Flux<ByteBuf> body) {
        List<Checksum> sums = object.sums();
        if (!object.isFramed() && sums.isEmpty()) {
            throw FetchException.lasting(
                    "its server tells neither its length nor its end, so that a cut would not be seen: give its checksum");
        }
        boolean hasParts = download.to().backend().capabilities().contains(Capability.MULTIPART);
        boolean canBeSplit =
                hasParts && object.canBeSplit() && object.line().sums().stream().allMatch(Checksum::canBeCombined);
        requireRoom(object, canBeSplit ? DownloadParts.MOST : hasParts ? BlockDownloads.MOST : PartPlan.MOST_AT_ONCE);
        object.size().ifPresent(download.transfer()::expect);
        long size = object.size().orElse(Long.MAX_VALUE);
        if (size > PartPlan.IN_PARTS && canBeSplit) {
            return Mono.just(parts.store(new DownloadParts(fetcher, writes, tries, download, object)));
        }
        Flux<ByteBuf> pieces = writes.limited(ResumedBody.of(fetcher, object, body, tries));
        if (size <= PartPlan.MOST_AT_ONCE) {
            return download.transfer()
                    .part(part -> whole(download, object, size, new Sums(sums).checked(part.counted(pieces), size)))
                    .map(Mono::just);
        }
        if (!hasParts) {
            throw FetchException.lasting("its server does not tell its length, and its target takes no parts");
        }
        return download.transfer()
                .part(part -> blocks.store(download, object, part.counted(pieces), new Sums(sums)))
                .map(Mono::just);
    }

    private static void requireRoom(WebObject object, long most) {
        if (object.size().orElse(0) > most) {
            throw FetchException.lasting("it has %d bytes; as its server sends it, its target can have %d GiB"
                    .formatted(object.size().orElse(0), most >> 30));
        }
    }

    private Mono<Ended> whole(Download download, WebObject object, long size, Flux<ByteBuf> pieces) {
        Backend backend = download.to().backend();
        HeaderList fields = withSum(object, backend);
        UploadBody body = UploadBody.of(size, pieces);
        NewObject target = new NewObject(download.target(), fields, WriteCondition.ALWAYS);
        return writes.fenced(download.to(), download.target(), backend.put(target, body))
                .map(written -> Ended.done(size, size));
    }

    /** S3 keeps one checksum with an object. */
    private static HeaderList withSum(WebObject object, Backend backend) {
        HeaderList fields = object.fields();
        return object.line().sums().stream()
                .filter(sum ->
                        KEPT.contains(sum.algorithm()) && backend.capabilities().contains(Capability.CHECKSUMS))
                .findFirst()
                .map(sum -> fields.with(sum.algorithm().headerName(), sum.base64()))
                .orElse(fields);
    }
}
