package io.millrace.gateway.jobs;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.OverwriteMode;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PrefixRenaming;
import io.millrace.gateway.jobs.plan.UrlListEntry;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.gateway.objects.bucket.BucketView;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;

/**
 * Job task for one object: downloads a URL into a bucket, subject to the overwrite mode. It compares the source
 * metadata stored with the target to one conditional GET: a 304 or equal headers mean that nothing has changed.
 */
final class DownloadTask implements ObjectTask {
    private static final int OK = 200;
    private static final int NOT_MODIFIED = 304;

    private final HttpFetcher fetcher;
    private final BucketView to;
    private final JobSpec spec;
    private final PrefixRenaming names;
    private final DownloadedObjectWriter downloads;
    private final Instant begun;

    /**
     * Lines under way. A list may have a line twice; the second one would take the upload of the first for an abandoned
     * one.
     */
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();

    /**
     * Creates a task.
     *
     * @param begun when the job first ran; objects written to the target since then may be its work
     */
    DownloadTask(
            HttpFetcher fetcher,
            BucketView to,
            JobSpec spec,
            PrefixRenaming names,
            DownloadedObjectWriter downloads,
            Instant begun) {
        this.fetcher = fetcher;
        this.to = to;
        this.spec = spec;
        this.names = names;
        this.downloads = downloads;
        this.begun = begun.truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public Mono<TaskResult> run(PlanItem item, boolean mayBeDone, ObjectAttemptProgress transfer) {
        return Mono.using(
                () -> underWay.add(item.name()),
                isAlone -> isAlone
                        ? bring(item, mayBeDone, transfer)
                        : Mono.just(TaskResult.skipped(0, "the same line is being fetched")),
                isAlone -> {
                    if (isAlone) {
                        underWay.remove(item.name());
                    }
                });
    }

    private Mono<TaskResult> bring(PlanItem item, boolean mayBeDone, ObjectAttemptProgress transfer) {
        return Mono.defer(() -> {
            UrlListEntry line = line(item.name());
            DownloadItem download = new DownloadItem(item.name(), line, to, target(line), transfer);
            return mayBeDone || spec.overwrite() != OverwriteMode.ALWAYS
                    ? existing(download.target())
                            .flatMap(existing -> existing.map(found -> unlessExisting(download, found, mayBeDone))
                                    .orElseGet(() -> fetch(download)))
                    : fetch(download);
        });
    }

    private static UrlListEntry line(String text) {
        try {
            return UrlListEntry.parse(text);
        } catch (IllegalArgumentException e) {
            throw FetchException.lasting("this line " + e.getMessage());
        }
    }

    private ObjectRef target(UrlListEntry line) {
        try {
            return to.at(names.renamed(line.key()));
        } catch (IllegalArgumentException e) {
            throw FetchException.lasting("its key is invalid in the target: " + e.getMessage());
        }
    }

    private Mono<Optional<ObjectHead>> existing(ObjectRef target) {
        return to.backend()
                .head(ReadRequest.of(target))
                .map(found -> Optional.of(found.head()))
                .onErrorResume(FailureClassifier::isAbsent, absent -> Mono.just(Optional.empty()));
    }

    private Mono<TaskResult> unlessExisting(DownloadItem download, ObjectHead existing, boolean mayBeDone) {
        boolean mayBeOurs = mayBeDone
                && DownloadMetadata.isSource(download.line(), existing)
                && !existing.lastModified().orElse(Instant.EPOCH).isBefore(begun);
        return switch (spec.overwrite()) {
            case IF_ABSENT ->
                Mono.just(
                        mayBeOurs
                                ? TaskResult.done(existing.size(), 0)
                                : TaskResult.skipped(existing.size(), "the target has it"));
            case IF_CHANGED ->
                fetch(
                        download,
                        existing,
                        mayBeOurs
                                ? TaskResult.done(existing.size(), 0)
                                : TaskResult.skipped(existing.size(), "the target has it"));
            case ALWAYS -> mayBeOurs ? fetch(download, existing, TaskResult.done(existing.size(), 0)) : fetch(download);
        };
    }

    private Mono<TaskResult> fetch(DownloadItem download) {
        // The response leaves what needs no connection for later, when the connection is back in the pool.
        return fetcher.get(download.line().url(), HeaderList.EMPTY, response -> store(download, response))
                .flatMap(rest -> rest);
    }

    private Mono<TaskResult> fetch(DownloadItem download, ObjectHead existing, TaskResult ifItIsThat) {
        HeaderList condition = DownloadMetadata.unlessThatOf(download.line(), existing);
        return fetcher.get(
                        download.line().url(),
                        condition,
                        response -> isUnchanged(response, condition) || isThat(download, existing, response)
                                ? Mono.just(Mono.just(ifItIsThat))
                                : store(download, response))
                .flatMap(rest -> rest);
    }

    private static boolean isUnchanged(DownloadResponse response, HeaderList condition) {
        return response.status() == NOT_MODIFIED && !condition.fields().isEmpty();
    }

    private static boolean isThat(DownloadItem download, ObjectHead existing, DownloadResponse response) {
        return response.status() == OK
                && DownloadMetadata.of(download.line(), response).isThatOf(existing);
    }

    private Mono<Mono<TaskResult>> store(DownloadItem download, DownloadResponse response) {
        if (response.status() != OK) {
            throw response.refusal();
        }
        return downloads.store(download, DownloadMetadata.of(download.line(), response), response.body());
    }
}
