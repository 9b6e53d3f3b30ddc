package io.millrace.gateway.cluster;

import io.millrace.kit.async.ExecutedCall;
import io.millrace.kit.async.UncancellableMono;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Reads the messages of other members, lets the cluster do what they ask for, and writes the responses. */
final class PeerService {
    private static final byte[] DONE = "{}".getBytes(StandardCharsets.US_ASCII);

    private final Cluster cluster;
    private final PeerStores stores;
    private final PeerRevocations revocations;
    private final LeaseTerms terms;
    private final LastWriters writers;
    private final RequestOrder order;

    /** Serves none until the gateway is complete. */
    private volatile Function<byte[], Mono<byte[]>> calls = call -> Mono.empty();

    private volatile boolean stopping;

    /** @param writers learns who has written what */
    PeerService(
            Cluster cluster,
            PeerStores stores,
            PeerRevocations revocations,
            LeaseTerms terms,
            LastWriters writers,
            PeerClock clock) {
        this.cluster = cluster;
        this.stores = stores;
        this.revocations = revocations;
        this.terms = terms;
        this.writers = writers;
        // Without a request for so long a member has no lease that a repetition could end.
        this.order = new RequestOrder(clock, terms.lease());
    }

    /** Tells the others, with each lease, that this member stops. */
    void beginToStop() {
        stopping = true;
    }

    /** Serves calls by this from then on. */
    void serveCalls(Function<byte[], Mono<byte[]>> byThisMember) {
        calls = byThisMember;
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
                    case ANNOUNCEMENTS -> announcements(PeerCodec.batch(message));
                    case GOODBYE -> cluster.receive(PeerCodec.goodbye(message)).thenReturn(DONE);
                    case REVOCATIONS ->
                        revocations.respond(PeerCodec.revocations(message)).map(PeerCodec::encode);
                    case ALIVE -> Mono.just(DONE);
                    // May be two megabytes of JSON, while the event loop has leases to serve.
                    case CALLS ->
                        ExecutedCall.on(Schedulers.parallel()::schedule, () -> calls.apply(message), closing -> closing)
                                .flatMap(Function.identity());
                    case OBJECTS -> Mono.error(new IllegalStateException("the port serves reads itself"));
                };
            } catch (RefusedMessageException refusal) {
                return Mono.error(refusal);
            }
        }));
    }

    private Mono<byte[]> announcements(AnnouncementBatch batch) {
        return cluster.receive(batch).doOnSuccess(done -> writers.note(batch)).thenReturn(DONE);
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
                .map(response -> PeerCodec.encode(
                        new PeerCodec.DigestResponse(response, Optional.of(revocations.digest()), stopping)));
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
