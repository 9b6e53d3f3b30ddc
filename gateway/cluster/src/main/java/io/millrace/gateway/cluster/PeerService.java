package io.millrace.gateway.cluster;

import io.millrace.cache.async.UncancellableMono;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import reactor.core.publisher.Mono;

/** Reads the messages of other members, lets the cluster do what they ask for, and writes the responses. */
final class PeerService {
    private static final byte[] DONE = "{}".getBytes(StandardCharsets.US_ASCII);

    private final Cluster cluster;
    private final PeerStores stores;
    private final LeaseTerms terms;

    PeerService(Cluster cluster, PeerStores stores, LeaseTerms terms) {
        this.cluster = cluster;
        this.stores = stores;
        this.terms = terms;
    }

    /**
     * Serves a message of a member; returns the body of the response. Empty if this member does not respond now. Fails
     * with a {@link RefusedMessageException} for a message that no member should send, and otherwise if it must be sent
     * again later. A message that is read is followed to the end, also if the member does not wait for it: it would
     * find no end if each repetition began anew.
     */
    Mono<byte[]> serve(PeerPath path, byte[] message) {
        return UncancellableMono.of(Mono.defer(() -> {
            try {
                return switch (path) {
                    case LEASE -> lease(PeerCodec.leaseRequest(message));
                    case ANNOUNCEMENTS ->
                        cluster.receive(PeerCodec.batch(message)).thenReturn(DONE);
                    case GOODBYE -> cluster.receive(PeerCodec.goodbye(message)).thenReturn(DONE);
                };
            } catch (RefusedMessageException refusal) {
                return Mono.error(refusal);
            }
        }));
    }

    private Mono<byte[]> lease(PeerCodec.StoresRequest request) throws RefusedMessageException {
        stores.requireSame(request.stores());
        requireSame(request.request().lease());
        return cluster.respond(request.request()).map(PeerCodec::encode);
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
