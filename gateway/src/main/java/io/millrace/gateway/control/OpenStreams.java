package io.millrace.gateway.control;

import io.millrace.auth.Principal;
import java.util.HashMap;
import java.util.Map;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Flux;

/**
 * Counts streams that are open, so that nobody takes all the connections there are by watching. Safe for use by any number of
 * threads.
 */
final class OpenStreams {
    private final int mostOfOne;
    private final int most;
    private final Map<String, Integer> open = new HashMap<>();
    private int all;

    /**
     * @param mostOfOne streams of an identity at a time
     * @param most of all together
     */
    OpenStreams(int mostOfOne, int most) {
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

    private synchronized void begin(String who) {
        int his = open.getOrDefault(who, 0);
        if (his >= mostOfOne || all >= most) {
            throw ApiException.of(
                    HttpStatus.TOO_MANY_REQUESTS,
                    his >= mostOfOne
                            ? "You have %d streams of events open; close one of them.".formatted(his)
                            : "There are %d streams of events open; ask again later.".formatted(all));
        }
        open.put(who, his + 1);
        all++;
    }

    private synchronized void end(String who) {
        open.computeIfPresent(who, (name, his) -> his == 1 ? null : his - 1);
        all--;
    }
}
