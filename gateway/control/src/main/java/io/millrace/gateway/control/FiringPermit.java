package io.millrace.gateway.control;

import java.time.Instant;
import reactor.core.publisher.Mono;

/** Decides whether this gateway submits the job of a schedule's time, or another one does. */
@FunctionalInterface
interface FiringPermit {
    /** That of a gateway without others. */
    FiringPermit ALWAYS = (schedule, time) -> Mono.just(true);

    /** Returns whether this gateway may submit it; an error is tried again while the time may still come. */
    Mono<Boolean> mayFire(String schedule, Instant time);
}
