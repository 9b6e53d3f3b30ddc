package io.millrace.gateway.jobs.download;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.fetch.DownloadResponse;
import io.millrace.gateway.jobs.fetch.FetchException;
import io.millrace.gateway.jobs.fetch.HttpFetcher;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PrefixRenaming;
import io.millrace.gateway.jobs.progress.TaskResult;
import io.millrace.gateway.jobs.progress.TransferProgress;
import io.millrace.gateway.jobs.request.JobSpec;
import io.millrace.gateway.jobs.request.OverwriteMode;
import io.millrace.gateway.jobs.request.UrlListEntry;
import io.millrace.gateway.jobs.task.ObjectTask;
import io.millrace.gateway.jobs.upload.FailureClassifier;
import io.millrace.gateway.objects.bucket.BucketView;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;

/**
 * Brings what a URL names into a bucket, if the target does not have it. What the target has is seen by what was kept with it of its
 * source, held against the answer to one GET: of a server that says nothing has changed, or of one whose head says so.
 */
public final class DownloadTask implements ObjectTask {
    private static final int OK = 200;
    private static final int NOT_MODIFIED = 304;

    private final HttpFetcher fetcher;
    private final BucketView to;
    private final JobSpec spec;
    private final PrefixRenaming names;
    private final Downloader downloads;
    private final Instant begun;

    /** A list may have a line twice; both would take the other's upload for one that was left. */
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();

    /** @param begun when the job began: what the target got since then may be its work */
    public DownloadTask(
            HttpFetcher fetcher,
            BucketView to,
            JobSpec spec,
            PrefixRenaming names,
            Downloader downloads,
            Instant begun) {
        this.fetcher = fetcher;
        this.to = to;
        this.spec = spec;
        this.names = names;
        this.downloads = downloads;
        this.begun = begun.truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public Mono<TaskResult> run(PlanItem item, boolean doubtful, TransferProgress transfer) {
        return Mono.using(
                () -> underWay.add(item.name()),
                isAlone -> isAlone
                        ? bring(item, doubtful, transfer)
                        : Mono.just(TaskResult.skipped(0, "the same line is being fetched")),
                isAlone -> {
                    if (isAlone) {
                        underWay.remove(item.name());
                    }
                });
    }

    private Mono<TaskResult> bring(PlanItem item, boolean doubtful, TransferProgress transfer) {
        return Mono.defer(() -> {
            UrlListEntry line = line(item.name());
            DownloadItem download = new DownloadItem(item.name(), line, to, target(line), transfer);
            return doubtful || spec.which() != OverwriteMode.ALL
                    ? there(download.target())
                            .flatMap(there -> there.map(found -> unlessThere(download, found, doubtful))
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
            throw FetchException.lasting("it has no place in its target: " + e.getMessage());
        }
    }

    private Mono<Optional<ObjectHead>> there(ObjectRef target) {
        return to.backend()
                .head(ReadRequest.of(target))
                .map(found -> Optional.of(found.head()))
                .onErrorResume(FailureClassifier::isAbsent, absent -> Mono.just(Optional.empty()));
    }

    private Mono<TaskResult> unlessThere(DownloadItem download, ObjectHead there, boolean doubtful) {
        boolean mayBeOurs = doubtful
                && DownloadMetadata.isSource(download.line(), there)
                && !there.lastModified().orElse(Instant.EPOCH).isBefore(begun);
        return switch (spec.which()) {
            case NEW ->
                Mono.just(
                        mayBeOurs
                                ? TaskResult.done(there.size(), 0)
                                : TaskResult.skipped(there.size(), "the target has it"));
            case CHANGED ->
                fetch(
                        download,
                        there,
                        mayBeOurs
                                ? TaskResult.done(there.size(), 0)
                                : TaskResult.skipped(there.size(), "the target has it"));
            case ALL -> mayBeOurs ? fetch(download, there, TaskResult.done(there.size(), 0)) : fetch(download);
        };
    }

    private Mono<TaskResult> fetch(DownloadItem download) {
        // What is to be done without this connection is done when it has been given back.
        return fetcher.get(download.line().url(), HeaderList.EMPTY, answer -> store(download, answer))
                .flatMap(rest -> rest);
    }

    private Mono<TaskResult> fetch(DownloadItem download, ObjectHead there, TaskResult ifItIsThat) {
        HeaderList condition = DownloadMetadata.unlessThatOf(download.line(), there);
        return fetcher.get(
                        download.line().url(),
                        condition,
                        answer -> isUnchanged(answer, condition) || isThat(download, there, answer)
                                ? Mono.just(Mono.just(ifItIsThat))
                                : store(download, answer))
                .flatMap(rest -> rest);
    }

    private static boolean isUnchanged(DownloadResponse answer, HeaderList condition) {
        return answer.status() == NOT_MODIFIED && !condition.fields().isEmpty();
    }

    private static boolean isThat(DownloadItem download, ObjectHead there, DownloadResponse answer) {
        return answer.status() == OK
                && DownloadMetadata.of(download.line(), answer).isThatOf(there);
    }

    private Mono<Mono<TaskResult>> store(DownloadItem download, DownloadResponse answer) {
        if (answer.status() != OK) {
            throw answer.refusal();
        }
        return downloads.store(download, DownloadMetadata.of(download.line(), answer), answer.body());
    }
}
