package io.millrace.gateway.cluster;

import java.util.Collection;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Takes this gateway's part in a cluster: answers the messages of the other members, follows changes of their list,
 * and leaves in order. Thread-safe.
 */
final class Cluster {
    private final PeerLeases leases;
    private final AnnouncedWrites writes;
    private final PeerNet net;

    public Cluster(PeerLeases leases, AnnouncedWrites writes, PeerNet net) {
        this.leases = leases;
        this.writes = writes;
        this.net = net;
    }

    /** Begins; completes when what was remembered by an earlier process may be used as the leases say. */
    public Mono<Void> start() {
        return leases.start();
    }

    /** Replaces the list of the other members. */
    public Mono<Void> reload(Collection<String> others) {
        return writes.reload(others).and(leases.reload(others));
    }

    /** Responds to a member that requests this one's lease; empty while this one stops. */
    public Mono<LeaseResponse> respond(LeaseRequest request) {
        return leases.heard(request.member(), request.process())
                .then(Mono.defer(() -> Mono.justOrEmpty(writes.respond(request))));
    }

    /** Applies announcements of a member; completes when they are. */
    public Mono<Void> receive(AnnouncementBatch batch) {
        return leases.receive(batch);
    }

    /** Receives the goodbye of a member. */
    public Mono<Void> receive(Goodbye goodbye) {
        return Mono.fromRunnable(() -> writes.departed(goodbye)).then(leases.receive(goodbye));
    }

    /** Takes no more writes; completes when each that has ended is announced. */
    public Mono<Void> drain() {
        return writes.drain();
    }

    /**
     * Leaves in order: the others need to suspect nothing but what they have missed. To be called after a {@link
     * #drain}, when no write is under way. Completes when this is durable; the goodbyes are on their way then.
     */
    public Mono<Void> leave() {
        return Mono.defer(() -> {
            leases.close();
            Map<String, Goodbye> goodbyes = writes.goodbyes();
            return leases.forgetConfirmations(goodbyes.keySet())
                    .then(Mono.defer(writes::stop))
                    .doOnSuccess(done -> Flux.fromIterable(goodbyes.entrySet())
                            .flatMap(goodbye -> net.leave(goodbye.getKey(), goodbye.getValue())
                                    .onErrorComplete())
                            .subscribe());
        });
    }
}
