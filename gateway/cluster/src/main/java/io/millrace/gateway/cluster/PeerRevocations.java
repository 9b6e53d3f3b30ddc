package io.millrace.gateway.cluster;

import io.millrace.auth.session.RevocationDecision;
import io.millrace.auth.session.RevocationLog;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Gives this member's revocations to the others and takes theirs. A decision is sent to all at once; whoever did not
 * get it sees by the digest in each response for a lease that a member has others, and fetches all of them before that
 * response counts. Thread-safe; never blocks.
 */
final class PeerRevocations {
    private final RevocationLog log;

    /** The digests of those of each member that were fetched last. */
    private final Map<String, Long> fetched = new ConcurrentHashMap<>();

    PeerRevocations(RevocationLog log) {
        this.log = log;
    }

    /** Returns a number that is another one where other decisions hold. */
    long digest() {
        return log.digest();
    }

    /** Takes the decisions of a request; returns those that it asks for when they are durable. */
    Mono<RevocationPage> respond(RevocationPage request) {
        return log.merge(request.decisions())
                .then(Mono.fromSupplier(
                        () -> request.after().map(this::pageAfter).orElse(RevocationPage.EMPTY)));
    }

    private RevocationPage pageAfter(String key) {
        List<RevocationDecision> decisions = log.after(key, RevocationPage.MOST);
        return new RevocationPage(
                decisions,
                decisions.size() < RevocationPage.MOST
                        ? Optional.empty()
                        : Optional.of(decisions.get(decisions.size() - 1).key()));
    }

    /**
     * Completes when all that a member has decided holds here too, and is durable. Nothing is fetched twice: of those
     * that stay different one member has forgotten some, or does not know their kind.
     *
     * @param digest that of the member's decisions
     * @param net sends a request to the member, and returns its response
     */
    Mono<Void> follow(String member, long digest, Function<RevocationPage, Mono<RevocationPage>> net) {
        return Mono.defer(() -> digest == log.digest() || Long.valueOf(digest).equals(fetched.get(member))
                ? Mono.empty()
                : fetch("", net).doOnSuccess(done -> fetched.put(member, digest)));
    }

    private Mono<Void> fetch(String after, Function<RevocationPage, Mono<RevocationPage>> net) {
        return net.apply(new RevocationPage(List.of(), Optional.of(after))).flatMap(page -> {
            Mono<Void> taken = log.merge(page.decisions());
            return page.after()
                    .filter(next -> next.compareTo(after) > 0)
                    .map(next -> taken.then(Mono.defer(() -> fetch(next, net))))
                    .orElse(taken);
        });
    }
}
