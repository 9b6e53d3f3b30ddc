package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import java.util.HashMap;
import java.util.Map;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Mono;

/**
 * Limits how many operations of one kind run at a time, per accountable identity and in total. An operation above a
 * limit fails with 429. Thread-safe.
 */
final class ConcurrencyLimiter {
    private final String what;
    private final int maxPerIdentity;
    private final int maxTotal;
    private final Map<String, Integer> open = new HashMap<>();
    private int all;

    /**
     * @param what plural noun for messages, as {@code bodies under way}
     * @param mostOfOne limit for each identity
     * @param most limit for all identities together
     */
    ConcurrencyLimiter(String what, int mostOfOne, int most) {
        this.what = what;
        this.maxPerIdentity = mostOfOne;
        this.maxTotal = most;
    }

    /** Counts {@code work} while it is subscribed to; fails with 429 above a limit. */
    <T> Mono<T> limit(Principal principal, Mono<T> work) {
        // Gives back before the caller hears of the end, so that its next request is not above the limit.
        return Mono.using(() -> begin(principal.accountableName()), name -> work, this::end);
    }

    /** Counts {@code work} until it ends. The work goes on when its caller cancels. */
    <T> Mono<T> limitDetached(Principal principal, Mono<T> work) {
        return limit(principal, work).cache();
    }

    private synchronized String begin(String principal) {
        int his = open.getOrDefault(principal, 0);
        if (his >= maxPerIdentity || all >= maxTotal) {
            throw ApiException.of(
                    HttpStatus.TOO_MANY_REQUESTS,
                    his >= maxPerIdentity
                            ? "You have %d %s, which is the limit: wait for one to end.".formatted(his, what)
                            : "There are %d %s, which is the limit: retry later.".formatted(all, what));
        }
        open.put(principal, his + 1);
        all++;
        return principal;
    }

    private synchronized void end(String principal) {
        open.computeIfPresent(principal, (name, his) -> his == 1 ? null : his - 1);
        all--;
    }
}
