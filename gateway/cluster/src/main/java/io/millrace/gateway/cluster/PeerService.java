package io.millrace.gateway.cluster;

import io.millrace.kit.async.UncancellableMono;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Reads the messages of other members, lets the cluster do what they ask for, and writes the responses. */
final class PeerService {
    private static final byte[] DONE = "{}".getBytes(StandardCharsets.US_ASCII);

    private final Cluster cluster;
    private final PeerStores stores;
    private final PeerRevocations revocations;
    private final LeaseTerms terms;
    private final RequestOrder order;

    PeerService(Cluster cluster, PeerStores stores, PeerRevocations revocations, LeaseTerms terms, PeerClock clock) {
        this.cluster = cluster;
        this.stores = stores;
        this.revocations = revocations;
        this.terms = terms;
        // Without a request for so long a member has no lease that a repetition could end.
        this.order = new RequestOrder(clock, terms.lease());
    }

    /**
     * Serves a message of a member; returns the body of the response. Empty if this member does not respond now. Fails
     * with a {@link RefusedMessageException} for a message that no member should send, and otherwise if it must be sent
     * again later. A message that is read is followed to the end, also if the member does not wait for it: it would
     * find no end if each repetition began anew.
     *
     * @param signedAt the time at which it was signed, in seconds since 1970
     */
    Mono<byte[]> serve(PeerPath path, long signedAt, byte[] message) {
        return UncancellableMono.of(Mono.defer(() -> {
            try {
                return switch (path) {
                    case LEASE -> lease(PeerCodec.leaseRequest(message), signedAt);
                    case ANNOUNCEMENTS ->
                        cluster.receive(PeerCodec.batch(message)).thenReturn(DONE);
                    case GOODBYE -> cluster.receive(PeerCodec.goodbye(message)).thenReturn(DONE);
                    case REVOCATIONS ->
                        revocations.respond(PeerCodec.revocations(message)).map(PeerCodec::encode);
                    case ALIVE -> Mono.just(DONE);
                    case OBJECTS -> Mono.error(new IllegalStateException("the port serves reads itself"));
                };
            } catch (RefusedMessageException refusal) {
                return Mono.error(refusal);
            }
        }));
    }

    private Mono<byte[]> lease(PeerCodec.StoresRequest message, long signedAt) throws RefusedMessageException {
        LeaseRequest request = message.request();
        stores.requireSame(message.stores());
        requireSame(request.lease());
        if (!order.isNext(request.member(), signedAt)) {
            return Mono.error(new IllegalStateException(
                    "a request of %s was signed long before the last one".formatted(request.member())));
        }
        return cluster.respond(request)
                .doOnNext(response -> {
                    if (!(response instanceof LeaseResponse.NotListed)) {
                        order.accept(request.member(), signedAt);
                    }
                })
                .map(response ->
                        PeerCodec.encode(new PeerCodec.DigestResponse(response, Optional.of(revocations.digest()))));
    }

    /** A member with longer leases would use its cache for longer than a write here waits for it. */
    private void requireSame(Duration lease) throws RefusedMessageException {
        if (lease.toMillis() != terms.lease().toMillis()) {
            throw new RefusedMessageException(
                    PeerRefusal.Reason.OTHER_LEASE,
                    "%d ms there, %d ms at the asking member"
                            .formatted(terms.lease().toMillis(), lease.toMillis()));
        }
    }
}
