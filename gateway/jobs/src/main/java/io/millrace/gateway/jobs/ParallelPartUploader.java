package io.millrace.gateway.jobs;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.jobs.store.PendingUpload;
import io.millrace.gateway.jobs.store.PendingUploadStore.Noted;
import io.millrace.gateway.jobs.store.PendingUploadStore.Part;
import io.millrace.gateway.jobs.store.TaskResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Stores objects in parts, several at a time. Stored parts survive a stop of the job and a kill of the process, and are
 * not sent again while the content is the same.
 */
final class ParallelPartUploader {
    private static final int PAGE = 1000;

    private final StoppableWrites writes;
    private final JobUploadLifecycle uploads;

    /**
     * Objects under way. A selection may name an object twice; the second one would take the upload of the first for an
     * abandoned one.
     */
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();

    ParallelPartUploader(StoppableWrites writes, JobUploadLifecycle uploads) {
        this.writes = writes;
        this.uploads = uploads;
    }

    Mono<TaskResult> store(MultipartSource source) {
        return Mono.using(
                () -> underWay.add(source.name()),
                isAlone -> isAlone
                        ? resumedOrBegun(source).flatMap(upload -> finish(source, upload))
                        : Mono.just(TaskResult.skipped(0, "it is being stored already")),
                isAlone -> {
                    if (isAlone) {
                        underWay.remove(source.name());
                    }
                });
    }

    private Mono<Noted> resumedOrBegun(MultipartSource source) {
        return uploads.notes()
                .find(source.name())
                .flatMap(noted -> noted.filter(upload -> isOf(upload.upload(), source))
                        .map(upload -> resumed(source, upload))
                        .orElseGet(() -> uploads.giveUp(source.name()).then(Mono.empty())))
                .switchIfEmpty(Mono.defer(() -> begin(source)));
    }

    private static boolean isOf(PendingUpload upload, MultipartSource source) {
        return upload.uploadId() != null
                && upload.validator().equals(source.validator())
                && upload.size() == source.size()
                && upload.object().equals(source.target());
    }

    /** Returns the stored parts that the backend still has; empty if the upload is gone. */
    private Mono<Noted> resumed(MultipartSource source, Noted noted) {
        return listed(source.to().backend(), noted.upload().upload(), 0)
                .collectMap(ListedPart::number, Function.identity())
                .map(uploaded -> new Noted(
                        noted.upload(),
                        noted.parts().stream()
                                .filter(part -> isUploaded(part, Optional.ofNullable(uploaded.get(part.number()))))
                                .collect(Collectors.toMap(Part::number, Function.identity(), (first, last) -> last))
                                .values()
                                .stream()
                                .toList()))
                .flatMap(existing ->
                        uploads.notes().write(source.name(), existing).thenReturn(existing))
                .onErrorResume(JobUploadLifecycle::isDeleted, missing -> Mono.empty());
    }

    private static boolean isUploaded(Part part, Optional<ListedPart> listed) {
        return listed.filter(found ->
                        found.size() == part.size() && found.eTag().toString().equals(part.eTag()))
                .isPresent();
    }

    private static Flux<ListedPart> listed(Backend backend, MultipartUpload upload, int after) {
        return backend.listParts(upload, after, PAGE)
                .flatMapMany(page -> Flux.fromIterable(page.parts())
                        .concatWith(page.next()
                                .map(next -> listed(backend, upload, next))
                                .orElseGet(Flux::empty)));
    }

    private Mono<Noted> begin(MultipartSource source) {
        return source.described()
                .flatMap(object -> writes.uncut(uploads.begin(
                        source.to(), object, source.name(), source.validator(), PartPlan.of(source.size()))));
    }

    private Mono<TaskResult> finish(MultipartSource source, Noted noted) {
        long existing = noted.parts().stream().mapToLong(Part::size).sum();
        source.transfer().present(existing);
        return parts(source, noted)
                .doOnNext(source::check)
                .flatMap(parts -> writes.uncut(complete(source, noted.upload(), parts)
                        .then(uploads.notes().end(source.name()))))
                .then(Mono.fromCallable(() -> TaskResult.done(source.size(), source.moved(source.size() - existing))))
                .onErrorResume(
                        failure -> !FailureClassifier.isPassing(failure),
                        failure ->
                                uploads.giveUp(source.name()).onErrorComplete().then(Mono.error(failure)));
    }

    /**
     * Returns all parts in order. After a failure no further part begins and those under way end, so that a retry finds
     * them stored.
     */
    private Mono<List<Part>> parts(MultipartSource source, Noted noted) {
        Map<Integer, Part> uploaded =
                noted.parts().stream().collect(Collectors.toMap(Part::number, Function.identity()));
        AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
        return Flux.range(1, noted.upload().plan().count())
                .flatMap(
                        number -> {
                            Part existing = uploaded.get(number);
                            if (existing != null) {
                                return Mono.just(existing);
                            }
                            return writes.inTurn(Mono.defer(() -> failed.get() != null
                                    ? Mono.<Part>empty()
                                    : part(source, noted.upload(), number).onErrorResume(failure -> {
                                        failed.compareAndSet(null, failure);
                                        return Mono.empty();
                                    })));
                        },
                        writes.partsAtOnce(),
                        1)
                .collectSortedList((a, b) -> Integer.compare(a.number(), b.number()))
                .flatMap(parts -> {
                    Throwable failure = failed.get();
                    return failure == null ? Mono.just(parts) : Mono.error(failure);
                });
    }

    private Mono<Part> part(MultipartSource source, PendingUpload upload, int number) {
        ByteRange range = upload.plan().range(number);
        // Counted inside of the step: a part whose last bytes are sent at a stop is stored, and not sent again.
        return source.turn(range.length())
                .then(writes.uncut(source.transfer()
                        .part(counter -> source.send(upload.upload(), number, range, counter)
                                .flatMap(part ->
                                        uploads.notes().add(source.name(), part).thenReturn(part)))));
    }

    private Mono<Void> complete(MultipartSource source, PendingUpload upload, List<Part> parts) {
        List<CompletedPart> named = new ArrayList<>();
        for (Part part : parts) {
            named.add(new CompletedPart(part.number(), ETag.parse(part.eTag()), HeaderList.EMPTY));
        }
        return writes.fenced(source.to(), source.target(), source.complete(upload.upload(), named))
                .then();
    }
}
