package io.millrace.loadgen;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reads a list of objects with a fixed number of concurrent requests (a closed loop). */
final class ClosedLoop {
    private final VerifyingClient client;
    private final int workers;
    private final boolean stopAtFailure;
    private final AtomicBoolean stopped = new AtomicBoolean();

    ClosedLoop(VerifyingClient client, int workers, boolean stopAtFailure) {
        this.client = client;
        this.workers = workers;
        this.stopAtFailure = stopAtFailure;
    }

    /** Reads all targets; blocks until the last request has ended. */
    ReadSummary read(List<GetTarget> targets) {
        long started = System.nanoTime();
        List<GetResult> results = Flux.fromIterable(targets)
                .flatMap(this::get, workers)
                .collectList()
                .block();
        return new ReadSummary(Objects.requireNonNull(results), System.nanoTime() - started);
    }

    private Mono<GetResult> get(GetTarget target) {
        return stopped.get() ? Mono.empty() : client.get(target).doOnNext(this::check);
    }

    private void check(GetResult result) {
        if (stopAtFailure && result.end() != GetResult.End.RIGHT) {
            stopped.set(true);
        }
    }
}
