package io.millrace.gateway.cluster;

import io.millrace.gateway.objects.read.CacheLease;
import io.millrace.gateway.objects.write.WriteReplication;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * This gateway as a member of a cluster: the port, its files, and the protocol between them. To be opened, started,
 * and closed once; all other methods are thread-safe and do not block unless they say so.
 */
public final class ClusterMember implements AutoCloseable {
    /**
     * Reads what the last process left. Blocks. No port is open yet, and no lease held: strong buckets revalidate, and
     * writes are refused, until {@link #start}.
     *
     * @param folder for the member's files, of this member alone; created if it does not exist
     * @param tls empty for plain HTTP
     * @param coherence the promise of each bucket, by the settings in force
     * @param stores what the name of each backend means, by the settings in force: texts that are equal at two members
     *     if, and only if, they mean the same store, without secrets
     * @throws IOException if the folder or a file in it cannot be used; the message says what to do
     */
    public static ClusterMember open(
            ClusterPlace place,
            Path folder,
            Optional<PeerTls> tls,
            Function<BackendBucket, Coherence> coherence,
            Supplier<Map<String, String>> stores)
            throws IOException {
        throw new UnsupportedOperationException();
    }

    /** Returns the leases, for reads. */
    public CacheLease lease() {
        throw new UnsupportedOperationException();
    }

    /** Returns the announcements, for writes. */
    public WriteReplication replication() {
        throw new UnsupportedOperationException();
    }

    /**
     * Opens the port and speaks with the others from then on. Blocks until the port is open; what members left that
     * may have written unheard is invalidated afterwards, and no lease is held until it is.
     *
     * @param cache this gateway's cache, without replication: what it applies is not announced again
     * @throws IOException if the port cannot be opened; the message says why
     */
    public void start(AnnouncedCache cache) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** Returns the port that was opened. */
    public int port() {
        throw new UnsupportedOperationException();
    }

    /** Replaces the list of members, with or without this one; completes when that is durable. */
    public Mono<Void> reload(List<PeerAddress> members) {
        throw new UnsupportedOperationException();
    }

    /** Returns whether every member has confirmed this one, so that it takes writes: for a balancer's probe. */
    public boolean isReady() {
        throw new UnsupportedOperationException();
    }

    public ClusterStatus status() {
        throw new UnsupportedOperationException();
    }

    /** Takes no more writes; completes when each that has ended is announced. Reads and the port go on. */
    public Mono<Void> drain() {
        throw new UnsupportedOperationException();
    }

    /**
     * Leaves in order, so that the others need to suspect nothing but what they have missed; to be called after a
     * {@link #drain}, when no write is under way. Completes when that is durable and the others have the goodbyes, or
     * after two seconds.
     */
    public Mono<Void> leave() {
        throw new UnsupportedOperationException();
    }

    /** Closes the port, all connections and threads; without {@link #leave} as if the process was killed. Blocks. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
