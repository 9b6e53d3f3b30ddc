package io.millrace.gateway.cluster;

import io.millrace.auth.session.RevocationLog;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.WriteFence;
import io.millrace.cache.metadata.OwnershipHash;
import io.millrace.gateway.objects.bucket.Coherence;
import io.millrace.gateway.objects.read.CacheLease;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.write.WriteReplication;
import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.file.PrivateFolder;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/**
 * This gateway as a member of a cluster: the port, its files, and the protocol between them. To be opened, started,
 * and closed once; all other methods are thread-safe and do not block unless they say so.
 */
public final class ClusterMember implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ClusterMember.class);

    private static final String MISSED_FILE = "missed.json";
    private static final String MEMBERS_FILE = "members.json";
    private static final String LEASE_FILE = "lease.json";
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

    private final ClusterPlace place;
    private final ExecutorService files = DaemonThreads.single("cluster-files");
    private final PeerClock clock;
    private final LaterCache cache = new LaterCache();
    private final FileValue<Duration> longestLease;
    private final LeaseTerms terms;
    private final PeerClient client;
    private final PeerLeases leases;
    private final AnnouncedWrites writes;
    private final Cluster cluster;
    private final PeerService service;
    private final PeerPort port;
    private final PeerReads reads;
    private final RelayOrigins origins;
    private final LastWriters writers = new LastWriters();
    private final Function<BackendBucket, Coherence> coherence;
    private volatile RendezvousPlacement placement;
    private volatile List<PeerAddress> others;
    private volatile boolean closed;

    private ClusterMember(
            ClusterPlace place,
            Path folder,
            Optional<PeerTls> tls,
            Function<BackendBucket, Coherence> coherence,
            Supplier<Map<String, String>> stores,
            RevocationLog revocations,
            PeerClock clock,
            InstantSource wallClock)
            throws IOException {
        this.place = place;
        this.clock = clock;
        this.coherence = coherence;
        this.others = others(place.members());
        this.placement = new RendezvousPlacement(place.node(), names(others));
        FileValue<MissedRecords> missed = FileValue.open(
                folder.resolve(MISSED_FILE),
                MissedRecords.EMPTY,
                RecordCodec::missedRecords,
                RecordCodec::encode,
                files,
                "every other member counts as one that has missed all writes, and invalidates its whole cache once");
        FileValue<KnownMembers> known = FileValue.open(
                folder.resolve(MEMBERS_FILE),
                KnownMembers.EMPTY,
                RecordCodec::knownMembers,
                RecordCodec::encode,
                files,
                "every member must confirm this one anew; if one was taken off the list since, also invalidate all"
                        + " buckets here");
        this.longestLease = FileValue.open(
                folder.resolve(LEASE_FILE),
                place.lease(),
                RecordCodec::lease,
                RecordCodec::encodeLease,
                files,
                "a write may be acknowledged too early within the first minute, if cluster.lease was longer before");
        this.terms = terms(place.lease(), longestLease);
        PeerKey key = new PeerKey(place.secret(), place.cluster());
        PeerStores ownStores = new PeerStores(stores, key);
        PeerRevocations exchange = new PeerRevocations(revocations);
        this.client =
                new PeerClient(place.cluster(), key, ownStores, exchange, tls.map(PeerTls::client), clock, wallClock);
        client.reload(others);
        revocations.announceBy(client::announce);
        long process = new SecureRandom().nextLong();
        this.leases =
                new PeerLeases(place.node(), process, names(others), terms, coherence, client, clock, cache, known);
        this.writes = new AnnouncedWrites(
                place.node(), process, names(others), terms, coherence, leases::isReady, client, clock, missed);
        this.reads = new PeerReads(client, writes);
        this.cluster = new Cluster(leases, writes, client);
        this.service = new PeerService(cluster, ownStores, exchange, terms, writers, clock);
        this.origins = new RelayOrigins(clock);
        this.port = new PeerPort(
                place.listen(),
                tls.map(PeerTls::server),
                new PeerAuthenticator(place.cluster(), place.node(), key, wallClock),
                key,
                service,
                origins);
    }

    /**
     * Returns the terms of this process, whose lease is durable then: if it is killed, the next one waits for the end
     * of what it has granted. The lease of an earlier process stays in the record while it is longer.
     */
    private static LeaseTerms terms(Duration lease, DurableValue<Duration> record) throws IOException {
        Duration before = record.read();
        LeaseTerms terms = new LeaseTerms(lease, before.compareTo(lease) > 0 ? before : lease);
        try {
            record.write(terms.longest()).block();
        } catch (RuntimeException failure) {
            throw new IOException(
                    "the files of the member cannot be written, so see to the disk of the data folder: "
                            + Exceptions.unwrap(failure),
                    failure);
        }
        return terms;
    }

    /**
     * Reads what the last process left. Blocks. Before {@link #start} no port is open, and no lease held: strong
     * buckets revalidate.
     *
     * @param folder for the member's files, of this member alone; created if it does not exist
     * @param tls empty for plain HTTP
     * @param coherence the promise of each bucket, by the settings in force
     * @param stores what the name of each backend means, by the settings in force: texts that are equal at two members
     *     if, and only if, they mean the same store, without secrets
     * @param revocations this gateway's, which become those of all members
     * @throws IOException if the folder or a file in it, or one of {@code tls}, cannot be used; the message says what
     *     to do
     */
    public static ClusterMember open(
            ClusterPlace place,
            Path folder,
            Optional<PeerTls> tls,
            Function<BackendBucket, Coherence> coherence,
            Supplier<Map<String, String>> stores,
            RevocationLog revocations)
            throws IOException {
        return open(place, folder, tls, coherence, stores, revocations, new SystemPeerClock(), InstantSource.system());
    }

    static ClusterMember open(
            ClusterPlace place,
            Path folder,
            Optional<PeerTls> tls,
            Function<BackendBucket, Coherence> coherence,
            Supplier<Map<String, String>> stores,
            RevocationLog revocations,
            PeerClock clock,
            InstantSource wallClock)
            throws IOException {
        PrivateFolder.restrict(folder);
        try {
            return new ClusterMember(place, folder, tls, coherence, stores, revocations, clock, wallClock);
        } catch (IllegalArgumentException e) {
            throw new IOException("cluster." + e.getMessage(), e);
        }
    }

    /** Returns the leases, for reads. */
    public CacheLease lease() {
        return leases;
    }

    /** Returns the announcements, for writes. */
    public WriteReplication replication() {
        return writes;
    }

    /**
     * Returns the sources of this gateway's reads.
     *
     * @param shared returns whether each object has a home, which is asked before the backend
     * @param fence knows what has changed in this gateway's cache
     */
    public ObjectSourceFactory sources(BooleanSupplier shared, WriteFence fence) {
        return placed(shared, fence);
    }

    /** Returns the sources of what other members relay, with the parameters of {@link #sources}: no home is asked. */
    public ObjectSourceFactory homeSources(BooleanSupplier shared, WriteFence fence) {
        return placed(shared, fence)::atHome;
    }

    private PlacedObjectSourceFactory placed(BooleanSupplier shared, WriteFence fence) {
        return new PlacedObjectSourceFactory(shared, () -> placement, coherence, reads, writers, fence, terms);
    }

    /** Serves as the home of objects what other members relay; to be called before {@link #start}. */
    public void serve(HomeReads home) {
        port.serve(home);
    }

    /**
     * Serves the calls of other members; to be called before {@link #start}.
     *
     * @param calls does what a call asks for, and returns the answer; empty if it must be asked again later
     */
    public void serveCalls(Function<byte[], Mono<byte[]>> calls) {
        service.serveCalls(calls);
    }

    /** Lets another member do a call, and returns its answer. Fails with an {@link IOException} that says why not. */
    public Mono<byte[]> call(String member, byte[] call) {
        return client.call(member, call);
    }

    /** Returns the names of the other members, in order. */
    public List<String> others() {
        return names(others);
    }

    /** Returns the home of an object if objects have one: whoever of the list that is, heard or not. */
    public String home(String backend, ObjectRef object) {
        return placement.home(OwnershipHash.of(backend, object));
    }

    /**
     * Opens the port and speaks with the others from then on. Blocks until the port is open; what members left that
     * may have written unheard is invalidated afterwards, and no lease is held until it is.
     *
     * @param ownCache this gateway's cache, without replication: what it applies is not announced again
     * @throws IOException if the port cannot be opened; the message says why
     */
    public void start(AnnouncedCache ownCache) throws IOException {
        cache.set(ownCache);
        port.open();
        cluster.start().subscribe(done -> {}, this::reportNotStarted);
        if (!terms.longest().equals(terms.lease())) {
            clock.schedule(terms.expiryAtStart(), this::forgetLongerLease);
        }
    }

    private void reportNotStarted(Throwable failure) {
        if (closed) {
            log.debug("Closed before it had begun", failure);
        } else {
            log.error(
                    "No lease is requested, since the cluster's files cannot be written: see to the disk of the data"
                            + " folder, and restart",
                    failure);
        }
    }

    private void forgetLongerLease() {
        longestLease
                .write(terms.lease())
                .subscribe(done -> {}, failure -> log.debug("The next process waits for a longer lease", failure));
    }

    /** Returns how long a write waits at most for leases to end, from the start of this process or its last grant. */
    public Duration longestWait() {
        return terms.expiryAtStart();
    }

    /** Returns the port that was opened. */
    public int port() {
        return port.port();
    }

    /** Returns the event loops that serve the other members. */
    public EventLoopGroup eventLoops() {
        return port.eventLoops();
    }

    /** Replaces the list of members, with or without this one; completes when that is durable. */
    public Mono<Void> reload(List<PeerAddress> members) {
        return Mono.defer(() -> {
            List<PeerAddress> next = others(members);
            others = next;
            placement = new RendezvousPlacement(place.node(), names(next));
            client.reload(next);
            return cluster.reload(names(next));
        });
    }

    /** Returns whether every member has confirmed this one, so that it takes writes: for a balancer's probe. */
    public boolean isReady() {
        return leases.isReady();
    }

    /** Returns whether the leases of all members are held, so that this one knows of what they have acknowledged. */
    public boolean isLeaseHeld() {
        return leases.isHeld();
    }

    public ClusterStatus status() {
        return new ClusterStatus(
                place.cluster(),
                place.node(),
                leases.isReady(),
                leases.isHeld(),
                others.stream().map(this::status).toList());
    }

    /** Returns how often the lease of another member has run out, since this process began. */
    public long leasesLost() {
        return leases.lost();
    }

    /** Returns how many changes have waited for a member that did not acknowledge them in time. */
    public long writesWaited() {
        return writes.waited();
    }

    /** Returns how many requests for objects other members have served, as their home. */
    public long relayedReads() {
        return reads.relayed();
    }

    /** Returns how many requests went to the backend because no other member has served them. */
    public long fallbacks() {
        return reads.fallbacks();
    }

    /** Returns what is at home where now, if each object has a home, and what came of that since this process began. */
    public ClusterStatus.Homes homes() {
        RendezvousPlacement now = placement;
        List<String> members = others();
        return new ClusterStatus.Homes(
                now.shares(member -> reads.isHeard(member) && !reads.isStopping(member)),
                members.stream().collect(Collectors.toMap(Function.identity(), reads::relayed)),
                members.stream().collect(Collectors.toMap(Function.identity(), reads::fallbacks)),
                origins.isEachOfOne() ? RelayOrigins.ADVICE : "");
    }

    private ClusterStatus.Member status(PeerAddress member) {
        PeerContact contact = client.contact(member.name());
        Optional<PeerInbox.Status> inbox = leases.status(member.name());
        Optional<PeerOutbox.Status> outbox = writes.status(member.name());
        return new ClusterStatus.Member(
                member.name(),
                member.authority(),
                contact.heardAt().map(at -> Duration.ofNanos(clock.nanoTime() - at)),
                inbox.map(PeerInbox.Status::confirmed).orElse(false),
                contact.listed(),
                inbox.map(PeerInbox.Status::session).orElse(false),
                inbox.map(PeerInbox.Status::leaseHeld).orElse(false),
                outbox.map(PeerOutbox.Status::announcing).orElse(false),
                outbox.map(PeerOutbox.Status::unacknowledged).orElse(0),
                outbox.flatMap(PeerOutbox.Status::granted),
                outbox.map(PeerOutbox.Status::paused).orElse(Duration.ZERO),
                outbox.map(PeerOutbox.Status::missed).orElse(0),
                contact.refusal(),
                contact.problem());
    }

    /**
     * Tells the others that this member stops, with the leases that they request: it is not the home of objects any
     * more, and whoever takes over reads from it what it has. Nothing else changes.
     */
    public void beginToStop() {
        service.beginToStop();
    }

    /** Takes no more writes; completes when each that has ended is announced. Reads and the port go on. */
    public Mono<Void> drain() {
        return cluster.drain();
    }

    /**
     * Leaves in order, so that the others need to suspect nothing but what they have missed; to be called after a
     * {@link #drain}, when no write is under way. Completes when that is durable and the others have the goodbyes, or
     * cannot be reached within two seconds.
     */
    public Mono<Void> leave() {
        return cluster.leave().then(Mono.defer(client::goodbyesSent));
    }

    /** Closes the port, all connections and threads; without {@link #leave} as if the process was killed. Blocks. */
    @Override
    public void close() {
        closed = true;
        leases.close();
        reads.close();
        port.close();
        clock.close();
        client.close().block();
        files.shutdown();
        try {
            if (!files.awaitTermination(LONGEST_CLOSE.toSeconds(), TimeUnit.SECONDS)) {
                log.warn("The cluster's files were not written within {}", LONGEST_CLOSE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<PeerAddress> others(List<PeerAddress> members) {
        return members.stream()
                .filter(member -> !member.name().equals(place.node()))
                .sorted(Comparator.comparing(PeerAddress::name))
                .toList();
    }

    private static List<String> names(Collection<PeerAddress> members) {
        return members.stream().map(PeerAddress::name).toList();
    }
}
