package io.millrace.gateway.job;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.fetch.FetchException;
import io.millrace.gateway.fetch.HttpFetcher;
import io.millrace.gateway.fetch.WebAnswer;
import io.millrace.gateway.job.plan.Item;
import io.millrace.gateway.job.plan.Renaming;
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
final class DownloadTask implements ObjectTask {
    private static final int OK = 200;
    private static final int NOT_MODIFIED = 304;

    private final HttpFetcher fetcher;
    private final BucketView to;
    private final JobSpec spec;
    private final Renaming names;
    private final Downloads downloads;
    private final Instant begun;

    /** A list may have a line twice; both would take the other's upload for one that was left. */
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();

    /** @param begun when the job began: what the target got since then may be its work */
    DownloadTask(HttpFetcher fetcher, BucketView to, JobSpec spec, Renaming names, Downloads downloads, Instant begun) {
        this.fetcher = fetcher;
        this.to = to;
        this.spec = spec;
        this.names = names;
        this.downloads = downloads;
        this.begun = begun.truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public Mono<Ended> run(Item item, boolean doubtful, Transfer transfer) {
        return Mono.using(
                () -> underWay.add(item.name()),
                isAlone -> isAlone
                        ? bring(item, doubtful, transfer)
                        : Mono.just(Ended.skipped(0, "the same line is being fetched")),
                isAlone -> {
                    if (isAlone) {
                        underWay.remove(item.name());
                    }
                });
    }

    private Mono<Ended> bring(Item item, boolean doubtful, Transfer transfer) {
        return Mono.defer(() -> {
            UrlLine line = line(item.name());
            Download download = new Download(item.name(), line, to, target(line), transfer);
            return doubtful || spec.which() != Which.ALL
                    ? there(download.target())
                            .flatMap(there -> there.map(found -> unlessThere(download, found, doubtful))
                                    .orElseGet(() -> fetch(download)))
                    : fetch(download);
        });
    }

    private static UrlLine line(String text) {
        try {
            return UrlLine.parse(text);
        } catch (IllegalArgumentException e) {
            throw FetchException.lasting("this line " + e.getMessage());
        }
    }

    private ObjectRef target(UrlLine line) {
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
                .onErrorResume(Failures::isAbsent, absent -> Mono.just(Optional.empty()));
    }

    private Mono<Ended> unlessThere(Download download, ObjectHead there, boolean doubtful) {
        boolean mayBeOurs = doubtful
                && WebObject.isSource(download.line(), there)
                && !there.lastModified().orElse(Instant.EPOCH).isBefore(begun);
        return switch (spec.which()) {
            case NEW ->
                Mono.just(mayBeOurs ? Ended.done(there.size(), 0) : Ended.skipped(there.size(), "the target has it"));
            case CHANGED ->
                fetch(
                        download,
                        there,
                        mayBeOurs ? Ended.done(there.size(), 0) : Ended.skipped(there.size(), "the target has it"));
            case ALL -> mayBeOurs ? fetch(download, there, Ended.done(there.size(), 0)) : fetch(download);
        };
    }

    private Mono<Ended> fetch(Download download) {
        // What is to be done without this connection is done when it has been given back.
        return fetcher.get(download.line().url(), HeaderList.EMPTY, answer -> store(download, answer))
                .flatMap(rest -> rest);
    }

    private Mono<Ended> fetch(Download download, ObjectHead there, Ended ifItIsThat) {
        HeaderList condition = WebObject.unlessThatOf(download.line(), there);
        return fetcher.get(
                        download.line().url(),
                        condition,
                        answer -> isUnchanged(answer, condition) || isThat(download, there, answer)
                                ? Mono.just(Mono.just(ifItIsThat))
                                : store(download, answer))
                .flatMap(rest -> rest);
    }

    private static boolean isUnchanged(WebAnswer answer, HeaderList condition) {
        return answer.status() == NOT_MODIFIED && !condition.fields().isEmpty();
    }

    private static boolean isThat(Download download, ObjectHead there, WebAnswer answer) {
        return answer.status() == OK && WebObject.of(download.line(), answer).isThatOf(there);
    }

    private Mono<Mono<Ended>> store(Download download, WebAnswer answer) {
        if (answer.status() != OK) {
            throw answer.refusal();
        }
        return downloads.store(download, WebObject.of(download.line(), answer), answer.body());
    }
}
