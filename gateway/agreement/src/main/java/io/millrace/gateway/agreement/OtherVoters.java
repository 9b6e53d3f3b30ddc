package io.millrace.gateway.agreement;

import reactor.core.publisher.Mono;

/** The way to another voter whose store may not run yet: the port that members have for each other anyway. */
@FunctionalInterface
interface OtherVoters {
    /** Asks a voter for its state. Fails, or is empty, while it cannot be reached: only its own word counts. */
    Mono<VoterState> state(String voter);
}
