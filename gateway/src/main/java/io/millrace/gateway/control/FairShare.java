package io.millrace.gateway.control;

import io.millrace.auth.Principal;
import java.util.HashMap;
import java.util.Map;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Counts what is under way of a kind, so that nobody takes all of the memory or the connections there are. Safe for use by any number
 * of threads.
 */
final class FairShare {
    private final String what;
    private final int mostOfOne;
    private final int most;
    private final Map<String, Integer> open = new HashMap<>();
    private int all;

    /**
     * @param what is counted, as {@code streams of events open}
     * @param mostOfOne of an identity at a time
     * @param most of all together
     */
    FairShare(String what, int mostOfOne, int most) {
        this.what = what;
        this.mostOfOne = mostOfOne;
        this.most = most;
    }

    /** The same stream; 429 where that would be one too many. */
    <T> Flux<T> of(Principal who, Flux<T> stream) {
        return Flux.defer(() -> {
            begin(who.name());
            return stream.doFinally(end -> end(who.name()));
        });
    }

    /** The same work; 429 where that would be one too many. */
    <T> Mono<T> of(Principal who, Mono<T> work) {
        return Mono.defer(() -> {
            begin(who.name());
            return work.doFinally(end -> end(who.name()));
        });
    }

    /** The same work that goes on if its caller leaves, and is counted until its end. */
    <T> Mono<T> detached(Principal who, Mono<T> work) {
        return of(who, work).cache();
    }

    private synchronized void begin(String who) {
        int his = open.getOrDefault(who, 0);
        if (his >= mostOfOne || all >= most) {
            throw ApiException.of(
                    HttpStatus.TOO_MANY_REQUESTS,
                    his >= mostOfOne
                            ? "You have %d %s; wait for one of them to end.".formatted(his, what)
                            : "There are %d %s; ask again later.".formatted(all, what));
        }
        open.put(who, his + 1);
        all++;
    }

    private synchronized void end(String who) {
        open.computeIfPresent(who, (name, his) -> his == 1 ? null : his - 1);
        all--;
    }
}
