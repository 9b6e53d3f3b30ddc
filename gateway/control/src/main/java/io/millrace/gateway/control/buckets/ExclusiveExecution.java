package io.millrace.gateway.control.buckets;

import io.millrace.gateway.control.request.ApiException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Mono;

/** Runs one operation at a time and refuses others meanwhile. Thread-safe. */
final class ExclusiveExecution {
    private final AtomicBoolean busy = new AtomicBoolean();

    /** Runs {@code work} when it is subscribed to; fails with 429 while other work runs. */
    <T> Mono<T> run(Mono<T> work) {
        return Mono.defer(() -> busy.compareAndSet(false, true)
                ? work.doFinally(end -> busy.set(false))
                : Mono.error(ApiException.of(
                        HttpStatus.TOO_MANY_REQUESTS,
                        "The same scan is running for another request: retry in a few seconds.")));
    }
}
