package io.millrace.gateway.control;

import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Mono;

/** Refuses what comes while the same work is under way for somebody else. */
final class OneAtATime {
    private final AtomicBoolean busy = new AtomicBoolean();

    /** The same work; 429 if there is some already. */
    <T> Mono<T> of(Mono<T> work) {
        return Mono.defer(() -> busy.compareAndSet(false, true)
                ? work.doFinally(end -> busy.set(false))
                : Mono.error(ApiException.of(
                        HttpStatus.TOO_MANY_REQUESTS, "Another is being answered; ask again in a moment.")));
    }
}
