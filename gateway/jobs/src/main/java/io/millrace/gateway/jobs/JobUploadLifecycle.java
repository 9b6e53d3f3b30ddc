package io.millrace.gateway.jobs;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.jobs.store.PendingUpload;
import io.millrace.gateway.jobs.store.PendingUploadStore;
import io.millrace.gateway.jobs.store.PendingUploadStore.Entry;
import io.millrace.gateway.jobs.store.PendingUploadStore.Noted;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Begins and aborts the multipart uploads of a job, so that no part is left at a backend. It stores an intent before
 * the upload begins, and sends no part before the upload's id is stored. If the id is lost, the log names what may be
 * that upload in the backend's list; it is left there, because it may as well be a client's.
 */
record JobUploadLifecycle(BucketRegistry buckets, PendingUploadStore notes, InstantSource clock) {
    private static final Logger log = LoggerFactory.getLogger(JobUploadLifecycle.class);

    /** The size of a page of uploads. A key with more uploads is not searched. */
    private static final int PAGE = 1000;

    /**
     * Stores an intent, begins an upload and stores its id. Must not be cancelled.
     *
     * @param name of the plan item
     * @param validator of the content; empty if the upload cannot be resumed
     */
    Mono<Noted> begin(BucketView to, NewObject object, String name, String validator, PartPlan plan) {
        return others(to.backend(), object.object())
                .map(others -> PendingUpload.intent(
                        to, object.object(), clock.instant(), others.orElse(null), validator, plan))
                .flatMap(intent -> notes.write(name, new Noted(intent, List.of()))
                        .then(to.backend().createUpload(object))
                        .onErrorResume(
                                failure -> !FailureClassifier.isPassing(failure),
                                refused -> notes.end(name).then(Mono.error(refused)))
                        .flatMap(begun -> note(to, name, intent.begun(begun.upload()))));
    }

    /** Stores the id of an upload, or aborts the upload at once if that fails, because nothing else knows the id. */
    private Mono<Noted> note(BucketView to, String name, PendingUpload upload) {
        Noted noted = new Noted(upload, List.of());
        return notes.write(name, noted)
                .thenReturn(noted)
                .onErrorResume(failure ->
                        abort(to.backend(), upload.upload()).onErrorComplete().then(Mono.error(failure)));
    }

    /** Returns the ids of the key's uploads at the backend; empty if it does not list them. */
    private static Mono<Optional<List<String>>> others(Backend backend, ObjectRef object) {
        return list(backend, object)
                .map(listed -> listed.map(uploads -> uploads.stream()
                        .map(upload -> upload.upload().uploadId())
                        .toList()))
                .onErrorResume(
                        failure -> !FailureClassifier.isPassing(failure), failure -> Mono.just(Optional.empty()));
    }

    /** Returns the uploads of a key; empty if there are more than a page. */
    private static Mono<Optional<List<ListedUpload>>> list(Backend backend, ObjectRef object) {
        // The key itself sorts before all other keys with this prefix.
        return backend.listUploads(
                        new ListUploadsRequest(object.bucket(), object.key().value(), "", "", "", PAGE))
                .map(page -> isWhole(page, object)
                        ? Optional.of(page.uploads().stream()
                                .filter(listed -> listed.upload().object().equals(object))
                                .toList())
                        : Optional.empty());
    }

    private static boolean isWhole(UploadPage page, ObjectRef object) {
        return page.next().isEmpty()
                || page.uploads().stream()
                        .anyMatch(listed -> !listed.upload().object().equals(object));
    }

    /** Aborts the upload that is stored under a name; it stays stored if that fails. */
    Mono<Void> giveUp(String name) {
        return notes.find(name)
                .flatMap(noted -> noted.map(found -> giveUp(found.upload()).then(notes.end(name)))
                        .orElseGet(Mono::empty));
    }

    /** Aborts all stored uploads. Those that cannot be aborted stay stored, and the error is that of one of them. */
    Mono<Void> giveUpAll() {
        return notes.all()
                .flatMapMany(Flux::fromIterable)
                .flatMapDelayError(this::giveUp, PartPlan.AT_ONCE, 1)
                .then();
    }

    private Mono<Void> giveUp(Entry entry) {
        // A file without a complete line was being written at a power cut, before its upload began.
        return entry.upload().map(this::giveUp).orElseGet(Mono::empty).then(notes.end(entry));
    }

    private Mono<Void> giveUp(PendingUpload upload) {
        return Mono.defer(() -> {
            Backend backend = bucket(upload).backend();
            return upload.uploadId() == null ? report(backend, upload) : abort(backend, upload.upload());
        });
    }

    private BucketView bucket(PendingUpload upload) {
        return buckets.findAny(new BucketName(upload.into()))
                .filter(view -> view.backendName().equals(upload.backend())
                        && view.backendBucket().value().equals(upload.bucket()))
                .orElseThrow(() -> new BackendException(
                        FailureKind.NO_SUCH_BUCKET,
                        "bucket '%s', into which it was begun, is not in the settings file any more, or is another"
                                .formatted(upload.into())));
    }

    /** Names what may be the upload of an intent, which the backend may or may not have begun. */
    private Mono<Void> report(Backend backend, PendingUpload intent) {
        return list(backend, intent.object())
                .onErrorResume(failure -> !FailureClassifier.isPassing(failure), failure -> Mono.just(Optional.empty()))
                .doOnNext(listed -> {
                    if (listed.isEmpty()) {
                        reportUnlisted(intent);
                    }
                })
                .flatMap(listed -> partless(backend, LostUploadFinder.candidates(intent, listed.orElse(List.of()))))
                .doOnNext(unclear -> unclear.forEach(upload -> report(intent, upload)))
                .then();
    }

    /** An upload with a part is a client's: the job has sent none. */
    private static Mono<List<ListedUpload>> partless(Backend backend, List<ListedUpload> uploads) {
        return Flux.fromIterable(uploads)
                .concatMap(upload -> backend.listParts(upload.upload(), 0, 1)
                        .filter(page -> page.parts().isEmpty())
                        .map(none -> upload)
                        .onErrorResume(JobUploadLifecycle::isDeleted, deleted -> Mono.empty()))
                .collectList();
    }

    private static void reportUnlisted(PendingUpload intent) {
        log.warn(
                "A job was stopped while it began an upload of key '{}' of bucket {} at {}, and the backend cannot "
                        + "list it: an unfinished upload may remain. Abort it there if it exists",
                intent.key(),
                intent.into(),
                intent.intended());
    }

    private static void report(PendingUpload intent, ListedUpload unclear) {
        log.warn(
                "Upload {} of key '{}' of bucket {}, begun at {}, is not aborted: a stopped job may have begun it, "
                        + "or a client. It has no part. Abort it if it is not needed",
                unclear.upload().uploadId(),
                intent.key(),
                intent.into(),
                unclear.initiated());
    }

    /** Aborts an upload; one that does not exist any more counts as aborted. */
    private static Mono<Void> abort(Backend backend, MultipartUpload upload) {
        return backend.abortUpload(upload, HeaderList.EMPTY)
                .onErrorResume(JobUploadLifecycle::isDeleted, deleted -> Mono.empty());
    }

    /** Returns true if the backend has no such upload. */
    static boolean isDeleted(Throwable failure) {
        return failure instanceof BackendException backend && backend.kind() == FailureKind.NO_SUCH_UPLOAD;
    }
}
