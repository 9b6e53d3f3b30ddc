package io.millrace.gateway.job;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.gateway.fetch.HttpFetcher;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.job.UploadNotes.Begun;
import io.millrace.gateway.job.UploadNotes.Noted;
import io.millrace.gateway.job.UploadNotes.Part;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Downloads in parts, several side by side, all of one version of the content. Parts that are there stay there when the job is
 * stopped, or the program killed, and are not fetched again while the content is the same.
 */
final class PartDownloads {
    /** S3 takes no larger part than it takes objects at once. */
    static final long MOST = MultipartUploads.MAX_PARTS * PartPlan.MOST_AT_ONCE;

    private static final int PAGE = 1000;

    private final HttpFetcher fetcher;
    private final ObjectWrites writes;
    private final UploadNotes notes;
    private final Pace bandwidth;
    private final int tries;

    PartDownloads(HttpFetcher fetcher, ObjectWrites writes, UploadNotes notes, Pace bandwidth, int tries) {
        this.fetcher = fetcher;
        this.writes = writes;
        this.notes = notes;
        this.bandwidth = bandwidth;
        this.tries = tries;
    }

    /** @param object whose size and strong tag are known */
    Mono<Ended> store(Download download, WebObject object) {
        return notes.find(download.name())
                .flatMap(noted -> noted.filter(upload -> isOf(upload.begun(), download, object))
                        .map(upload -> resumed(download, upload))
                        .orElseGet(() -> notes.giveUp(download).then(Mono.empty())))
                .switchIfEmpty(Mono.defer(() -> begin(download, object)))
                .flatMap(upload -> finish(download, object, upload)
                        .onErrorResume(
                                failure -> !Failures.isPassing(failure),
                                failure ->
                                        notes.giveUp(download).onErrorComplete().then(Mono.error(failure))));
    }

    private static boolean isOf(Begun begun, Download download, WebObject object) {
        return Optional.of(begun.validator()).equals(object.strongTag())
                && begun.size() == object.size().orElseThrow()
                && begun.bucket().equals(download.target().bucket().value())
                && begun.key().equals(download.target().key().value());
    }

    /** What the backend has of it, and was noted; empty if that upload is no more. */
    private Mono<Noted> resumed(Download download, Noted noted) {
        return listed(download.to().backend(), noted.begun().upload(), 0)
                .collectMap(ListedPart::number, Function.identity())
                .map(there -> new Noted(
                        noted.begun(),
                        noted.parts().stream()
                                .filter(part -> isThere(part, Optional.ofNullable(there.get(part.number()))))
                                .collect(Collectors.toMap(Part::number, Function.identity(), (first, last) -> last))
                                .values()
                                .stream()
                                .toList()))
                .flatMap(kept -> notes.replace(download.name(), kept).thenReturn(kept))
                .onErrorResume(UploadNotes::isGone, gone -> Mono.empty());
    }

    private static boolean isThere(Part part, Optional<ListedPart> listed) {
        return listed.filter(found ->
                        found.size() == part.size() && found.eTag().toString().equals(part.eTag()))
                .isPresent();
    }

    private static Flux<ListedPart> listed(Backend backend, Upload upload, int after) {
        return backend.listParts(upload, after, PAGE)
                .flatMapMany(page -> Flux.fromIterable(page.parts())
                        .concatWith(page.next()
                                .map(next -> listed(backend, upload, next))
                                .orElseGet(Flux::empty)));
    }

    private Mono<Noted> begin(Download download, WebObject object) {
        PartPlan plan = PartPlan.of(object.size().orElseThrow());
        return download.to()
                .backend()
                .createUpload(new NewObject(download.target(), object.fields(), WriteCondition.ALWAYS))
                .map(begun -> Begun.of(begun.upload(), object.strongTag().orElseThrow(), plan))
                .flatMap(begun -> notes.first(download, begun));
    }

    private Mono<Ended> finish(Download download, WebObject object, Noted noted) {
        Map<Integer, Part> there = noted.parts().stream().collect(Collectors.toMap(Part::number, Function.identity()));
        PartPlan plan = noted.begun().plan();
        long kept = noted.parts().stream().mapToLong(Part::size).sum();
        List<Checksum> sums =
                object.sums().stream().filter(Checksum::canBeCombined).toList();
        return Flux.range(1, plan.count())
                .flatMap(
                        number -> there.containsKey(number)
                                ? Mono.just(there.get(number))
                                : part(download, object, noted.begun(), number, sums),
                        PartPlan.AT_ONCE,
                        1)
                .collectSortedList((a, b) -> Integer.compare(a.number(), b.number()))
                .doOnNext(parts -> Sums.require(sums, whole(parts)))
                .flatMap(parts -> complete(download, noted.begun(), parts))
                .then(notes.end(download.name()))
                .thenReturn(Ended.done(plan.size(), plan.size() - kept));
    }

    private static Map<ChecksumAlgorithm, String> whole(List<Part> parts) {
        Map<ChecksumAlgorithm, String> sums = parts.get(0).sums();
        for (Part part : parts.subList(1, parts.size())) {
            sums = Sums.combined(sums, part.sums(), part.size());
        }
        return sums;
    }

    private Mono<Part> part(Download download, WebObject object, Begun begun, int number, List<Checksum> wanted) {
        ByteRange range = begun.plan().range(number);
        Sums sums = new Sums(wanted);
        Flux<ByteBuf> pieces = bandwidth
                .paced(ResumedBody.of(fetcher, object, range.first(), range.last() + 1, tries))
                .doOnNext(sums::add)
                .doOnDiscard(ByteBuf.class, ByteBuf::release);
        return download.to()
                .backend()
                .putPart(begun.upload(), number, HeaderList.EMPTY, UploadBody.of(range.length(), pieces))
                .map(stored -> new Part(number, stored.eTag().toString(), range.length(), sums.values()))
                .flatMap(part -> notes.add(download.name(), part).thenReturn(part));
    }

    private Mono<Void> complete(Download download, Begun begun, List<Part> parts) {
        List<NamedPart> named = parts.stream()
                .map(part -> new NamedPart(part.number(), ETag.parse(part.eTag()), HeaderList.EMPTY))
                .toList();
        return writes.fenced(
                        download.to(),
                        download.target(),
                        download.to()
                                .backend()
                                .completeUpload(begun.upload(), named, HeaderList.EMPTY, WriteCondition.ALWAYS))
                .then();
    }
}
