package io.millrace.gateway.control;

import reactor.core.publisher.Mono;

/** What an operator may ask of the cache's disks, by their numbers from 0. */
public interface DiskWork {
    /**
     * All of a disk is looked at now.
     *
     * @return whether it will be: not where the settings have no scrubbing
     */
    boolean scrub(int disk);

    /** Takes a lost disk back that is there again. Fails with an {@link java.io.IOException} that says what to do. */
    Mono<Void> takeBack(int disk);
}
