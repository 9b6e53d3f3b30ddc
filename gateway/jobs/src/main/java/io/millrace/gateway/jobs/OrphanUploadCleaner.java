package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.store.JobFolder;
import io.millrace.gateway.jobs.store.JobStateThread;
import io.millrace.gateway.jobs.store.PendingUploadStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Aborts multipart uploads left behind at backends by jobs that have ended or were deleted. An upload whose backend is
 * unavailable stays noted and is tried again. Used by the job thread only.
 *
 * @param folder of all jobs
 * @param uploads makes what aborts the uploads of a job
 */
record OrphanUploadCleaner(
        Path folder,
        JobRegistry jobs,
        Function<PendingUploadStore, JobUploadLifecycle> uploads,
        JobStateThread thread) {
    private static final Logger log = LoggerFactory.getLogger(OrphanUploadCleaner.class);

    /** The longest wait for a backend before a job counts as ended. */
    private static final Duration LONGEST = Duration.ofSeconds(30);

    /** Aborts the uploads of a job that does not run. Never fails. */
    Mono<Void> giveUp(Job job) {
        return giveUp(job.stored().id(), job.folder().path());
    }

    /** Aborts the uploads of all jobs that will never run again. Never fails. */
    Mono<Void> giveUpAll() {
        Mono<Void> ofDeletedJobs = thread.call(() -> JobFolder.gone(folder))
                .flatMapMany(Flux::fromIterable)
                .concatMap(gone -> giveUp(gone.path().getFileName().toString(), gone.path())
                        .then(thread.run(gone::delete)))
                .then();
        return Flux.fromIterable(jobs.all())
                .filter(job -> job.stored().state().isOver() && job.run() == null)
                .concatMap(this::giveUp)
                .then(ofDeletedJobs)
                .onErrorResume(failure -> {
                    log.warn("Cannot read pending uploads of jobs in {}; the next sweep tries again", folder, failure);
                    return Mono.empty();
                });
    }

    private Mono<Void> giveUp(String id, Path path) {
        return uploads.apply(new PendingUploadStore(path, thread))
                .giveUpAll()
                .timeout(LONGEST)
                .onErrorResume(failure -> {
                    log.warn(
                            "Job {} has left uploads that cannot be aborted now; the next sweep tries again: {}",
                            id,
                            Exceptions.unwrapMultiple(failure).get(0).toString());
                    return Mono.empty();
                });
    }
}
