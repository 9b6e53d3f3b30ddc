package io.millrace.gateway.app;

import io.millrace.cache.CacheAdministration;
import io.millrace.gateway.control.DiskOperations;
import io.millrace.kit.async.DaemonThreads;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Mono;

/** Runs operators' commands on cache disks. Returning a disk gets a thread of its own, because a disk may hang. */
record CacheDiskOperations(CacheAdministration disks) implements DiskOperations {
    @Override
    public boolean scrub(int disk) {
        return disks.scrub(disk);
    }

    @Override
    public Mono<Void> reattach(int disk) {
        return Mono.fromFuture(() -> apart(() -> {
            disks.returnDisk(disk);
            return null;
        }));
    }

    private static CompletableFuture<Void> apart(Callable<Void> work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        DaemonThreads.start("disk-returns", () -> {
            try {
                done.complete(work.call());
            } catch (Exception | OutOfMemoryError e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }
}
