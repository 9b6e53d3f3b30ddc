package io.millrace.gateway.control;

import reactor.core.publisher.Mono;

/** Operations on cache disks, which are numbered from 0. */
public interface DiskOperations {
    /**
     * Starts to scrub all of a disk now.
     *
     * @return false if the settings turn scrubbing off
     */
    boolean scrub(int disk);

    /** Returns a lost disk to service. Fails with an {@link java.io.IOException} that says what to do. */
    Mono<Void> reattach(int disk);
}
