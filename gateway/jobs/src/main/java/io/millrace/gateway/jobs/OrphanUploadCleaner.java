package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.store.JobFolder;
import io.millrace.gateway.jobs.store.JobThread;
import io.millrace.gateway.jobs.store.PendingUploadStore;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Gives up the uploads that jobs have begun at backends and will never end: of jobs that are over, and of those that are gone from the list.
 * What cannot be given up, because its backend is away, stays noted and is tried again. Belongs to the job thread.
 */
final class OrphanUploadCleaner {
    private static final Logger log = LoggerFactory.getLogger(OrphanUploadCleaner.class);

    /** Nobody waits longer for a backend to hear that a job is over. */
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final Path folder;
    private final JobRegistry jobs;
    private final JobTaskFactory workshop;
    private final JobThread thread;

    /** @param folder of all jobs */
    OrphanUploadCleaner(Path folder, JobRegistry jobs, JobTaskFactory workshop, JobThread thread) {
        this.folder = folder;
        this.jobs = jobs;
        this.workshop = workshop;
        this.thread = thread;
    }

    /** Of a job of which nothing is under way. Never fails. */
    Mono<Void> giveUp(Job job) {
        return giveUp(job.stored().id(), job.folder().path());
    }

    /** Of all jobs that will never work again. Never fails. */
    Mono<Void> giveUpAll() {
        Mono<Void> ofTheGone = thread.call(() -> JobFolder.gone(folder))
                .flatMapMany(Flux::fromIterable)
                .concatMap(gone -> giveUp(gone.path().getFileName().toString(), gone.path())
                        .then(thread.call(() -> {
                            gone.delete();
                            return null;
                        })))
                .then();
        return Flux.fromIterable(jobs.all())
                .filter(job -> job.stored().state().isOver() && job.run() == null)
                .concatMap(this::giveUp)
                .then(ofTheGone)
                .onErrorResume(failure -> {
                    log.warn("Uploads that jobs have left cannot be looked for in {}", folder, failure);
                    return Mono.empty();
                });
    }

    private Mono<Void> giveUp(String id, Path path) {
        return workshop.uploads(new PendingUploadStore(path, thread))
                .giveUpAll()
                .timeout(LONGEST)
                .onErrorResume(failure -> {
                    log.warn(
                            "Job {} has left uploads at a backend, which cannot be given up now and are tried again later: {}",
                            id,
                            Exceptions.unwrapMultiple(failure).get(0).toString());
                    return Mono.empty();
                });
    }
}
