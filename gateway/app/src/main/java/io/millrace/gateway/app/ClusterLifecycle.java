package io.millrace.gateway.app;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.auth.session.RevocationLog;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.BlockCache;
import io.millrace.config.SettingsVariant;
import io.millrace.gateway.cluster.BackendBucket;
import io.millrace.gateway.cluster.ClusterMember;
import io.millrace.gateway.cluster.ClusterPlace;
import io.millrace.gateway.cluster.ClusterStatus;
import io.millrace.gateway.cluster.HomeReads;
import io.millrace.gateway.cluster.LocalCache;
import io.millrace.gateway.cluster.PeerAddress;
import io.millrace.gateway.cluster.PeerTls;
import io.millrace.gateway.control.ClusterView;
import io.millrace.gateway.control.LocalCalls;
import io.millrace.gateway.control.SharedCacheMembers;
import io.millrace.gateway.objects.bucket.Coherence;
import io.millrace.gateway.objects.read.CacheLease;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.objects.write.WriteReplication;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs this gateway's part in a cluster: from before S3 is served until after its last write has ended. Only this class
 * uses the module of the cluster, so that a gateway without one loads none of it.
 */
final class ClusterLifecycle implements ClusterMembership {
    private static final Logger log = LoggerFactory.getLogger(ClusterLifecycle.class);

    /** Before jobs and the S3 port start and after they stop; while the control port is open. */
    private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 512;

    /** The most time that a start waits for the others. */
    private static final Duration FIRST_LEASES = Duration.ofSeconds(1);

    /** The most time that a stop waits for the goodbyes. */
    private static final Duration LONGEST_LEAVE = Duration.ofSeconds(5);

    /** The most time that a stop waits for writes after all leases have ended. */
    private static final Duration AFTER_LEASES = Duration.ofSeconds(2);

    private static final Duration PAUSE = Duration.ofMillis(10);

    private final ClusterMember member;
    private final Duration lease;
    private final Optional<BlockCache> cache;
    private final Supplier<CurrentSettings> settings;
    private final Supplier<CurrentObjectFinder> objects;
    private final Supplier<FencedWrites> writes;
    private final Supplier<LocalCalls> calls;
    private final SharedCacheMembers members;
    private final ClusterMeters meters;

    /** Null until the start. */
    private volatile @Nullable CurrentSettings current;

    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean shared;
    private volatile boolean running;

    private ClusterLifecycle(
            ClusterSettings own,
            MillraceSettings all,
            Optional<PeerTls> tls,
            Optional<BlockCache> cache,
            Supplier<CurrentSettings> settings,
            Supplier<CurrentObjectFinder> objects,
            Supplier<FencedWrites> writes,
            Supplier<LocalCalls> calls,
            RevocationLog revocations,
            PrometheusMeterRegistry registry)
            throws IOException {
        this.lease = own.lease();
        this.shared = isShared(own);
        this.cache = cache;
        this.settings = settings;
        this.objects = objects;
        this.writes = writes;
        this.calls = calls;
        this.member = ClusterMember.open(
                new ClusterPlace(
                        own.name(),
                        own.self(),
                        addresses(own),
                        new InetSocketAddress(own.listen().host(), own.listen().port()),
                        own.secret().reveal(),
                        own.lease()),
                all.data().resolve("cluster"),
                tls,
                this::coherence,
                this::stores,
                revocations);
        // Without a cache there is nothing that a home could keep.
        this.members = new ClusterCacheMembers(member, own.self(), () -> shared && cache.isPresent(), this::coherence);
        this.meters = new ClusterMeters(
                this::view,
                member::leasesLost,
                member::writesWaited,
                member::relayedReads,
                member::fallbacks,
                this::copiedBytes,
                registry);
        registry.getPrometheusRegistry().register(meters);
    }

    /**
     * Reads what the last process left; its port is opened by {@link #start}.
     *
     * @param settings returns the settings in force; called from the start on, as the next three
     * @param revocations become those of all members
     * @throws StartException if a file of the last process cannot be used
     */
    static ClusterMembership open(
            MillraceSettings all,
            Optional<BlockCache> cache,
            Optional<ReloadingTlsContext> certificate,
            Supplier<CurrentSettings> settings,
            Supplier<CurrentObjectFinder> objects,
            Supplier<FencedWrites> writes,
            Supplier<LocalCalls> calls,
            RevocationLog revocations,
            PrometheusMeterRegistry registry) {
        ClusterSettings own = all.cluster().orElseThrow();
        try {
            return new ClusterLifecycle(
                    own,
                    all,
                    certificate.map(context -> new PeerTls(context, own.tls())),
                    cache,
                    settings,
                    objects,
                    writes,
                    calls,
                    revocations,
                    registry);
        } catch (IOException e) {
            throw new StartException("cluster: " + e.getMessage(), e);
        }
    }

    private static boolean isShared(ClusterSettings own) {
        return own.placement() == ClusterSettings.Placement.SHARED;
    }

    private static List<PeerAddress> addresses(ClusterSettings own) {
        return own.members().stream()
                .map(listed -> new PeerAddress(
                        listed.name(), listed.address().host(), listed.address().port()))
                .toList();
    }

    private Coherence coherence(BackendBucket bucket) {
        @Nullable CurrentSettings now = current;
        // Before the start nothing is read or written; the most careful answer then.
        return now == null
                ? Coherence.STRONG
                : now.get().buckets().coherenceOf(bucket.backend(), new BucketName(bucket.name()));
    }

    /** Returns the stores that names of backends stand for, as far as their servers tell. */
    private Map<String, String> stores() {
        @Nullable CurrentSettings now = current;
        Map<String, String> stores = new HashMap<>();
        if (now != null) {
            now.get()
                    .settings()
                    .backends()
                    .forEach((name, typed) -> store(typed).ifPresent(text -> stores.put(name, text)));
        }
        return stores;
    }

    /** Another gateway in front of the store may be a different one at each member. */
    private static Optional<String> store(SettingsVariant typed) {
        return typed.type().equals("millrace")
                ? Optional.empty()
                : BackendTypeRegistry.endpoint(typed).map(endpoint -> typed.type() + ' ' + endpoint);
    }

    @Override
    public CacheLease lease() {
        return meters.counting(member.lease());
    }

    @Override
    public WriteReplication replication() {
        return meters.timing(member.replication());
    }

    /** Without a cache there is nothing that a home could keep. */
    @Override
    public ObjectSourceFactory sources() {
        return cache.map(blocks -> member.sources(() -> shared, blocks.writeFence()))
                .orElse(ObjectSourceFactory.BACKENDS);
    }

    @Override
    public SharedCacheMembers members() {
        return members;
    }

    @Override
    public int port() {
        return member.port();
    }

    @Override
    public EventLoopGroup eventLoops() {
        return member.eventLoops();
    }

    @Override
    public ClusterView view() {
        Optional<ClusterStatus.Homes> homes = shared ? Optional.of(member.homes()) : Optional.empty();
        return ClusterReport.of(member.status(), lease, homes, copiedBytes());
    }

    private long copiedBytes() {
        return cache.map(blocks -> blocks.administration().copiedBytes()).orElse(0L);
    }

    @Override
    public boolean isReady() {
        return member.isReady();
    }

    @Override
    public Optional<String> whyUnready() {
        return isReady() ? Optional.empty() : Optional.of(ClusterReport.whyUnready(member.status()));
    }

    @Override
    public void reload(MillraceSettings next) {
        next.cluster().ifPresent(own -> {
            shared = isShared(own);
            member.reload(addresses(own))
                    .subscribe(
                            done -> {},
                            failure -> log.error(
                                    "The list of cluster.members is in force, but could not be recorded in the data"
                                            + " folder; check its disk and reload the settings again",
                                    failure));
        });
    }

    @Override
    public void start() {
        CurrentSettings now = settings.get();
        current = now;
        cache.ifPresent(blocks -> member.serve(new HomeReads(
                blocks,
                objects.get(),
                member.homeSources(() -> shared, blocks.writeFence()),
                name -> now.get().buckets().findAny(name),
                member::isLeaseHeld,
                InstantSource.system())));
        member.serveCalls(calls.get()::serve);
        try {
            member.start(LocalCache.of(cache, objects.get().invalidation()));
        } catch (IOException e) {
            throw new StartException(
                    e.getMessage()
                            + ". To mend it, stop the program that has the port, or write another one as cluster.listen"
                            + " here, and in cluster.members of all",
                    e);
        }
        running = true;
        awaitLeases();
        ClusterStatus own = member.status();
        log.info("This is member {} of cluster {}, which listens on port {}", own.node(), own.cluster(), member.port());
    }

    /** Hears of the others what it has missed, before it serves: unless they are away, that takes some milliseconds. */
    private void awaitLeases() {
        long end = System.nanoTime() + FIRST_LEASES.toNanos();
        while (!member.status().leaseHeld() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    @Override
    public void beginToStop() {
        member.beginToStop();
    }

    /** Leaves the cluster in order, if all writes end in time; otherwise the others count what they missed. */
    @Override
    public void stop() {
        running = false;
        member.drain().subscribe(done -> {}, failure -> log.debug("The cluster was not drained", failure));
        if (!areWritesEnded()) {
            log.warn(
                    "{} write(s) have not ended, so this member does not leave the cluster in order: the others"
                            + " revalidate what they have of its buckets",
                    writes.get().underWay());
        } else {
            try {
                member.leave().block(LONGEST_LEAVE);
            } catch (RuntimeException failed) {
                log.warn("This member did not leave the cluster in order; the others revalidate its buckets", failed);
            }
        }
        close();
    }

    private boolean areWritesEnded() {
        long end = System.nanoTime() + member.longestWait().plus(AFTER_LEASES).toNanos();
        while (writes.get().underWay() > 0 && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        return writes.get().underWay() == 0;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            member.close();
        }
    }
}
