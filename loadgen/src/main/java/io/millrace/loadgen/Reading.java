package io.millrace.loadgen;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reads targets, so many at a time: a closed loop. */
final class Reading {
    private final Client client;
    private final int workers;
    private final boolean stopAtFailure;
    private final AtomicBoolean stopped = new AtomicBoolean();

    Reading(Client client, int workers, boolean stopAtFailure) {
        this.client = client;
        this.workers = workers;
        this.stopAtFailure = stopAtFailure;
    }

    /** Reads them all; blocks until the last has ended. */
    Summary read(List<Target> targets) {
        long started = System.nanoTime();
        List<Got> gots = Flux.fromIterable(targets)
                .flatMap(this::get, workers)
                .collectList()
                .block();
        return new Summary(Objects.requireNonNull(gots), System.nanoTime() - started);
    }

    private Mono<Got> get(Target target) {
        return stopped.get() ? Mono.empty() : client.get(target).doOnNext(this::look);
    }

    private void look(Got got) {
        if (stopAtFailure && got.end() != Got.End.RIGHT) {
            stopped.set(true);
        }
    }
}
