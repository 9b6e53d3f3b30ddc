package io.millrace.gateway.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.TrustedProxies;
import io.millrace.auth.session.DerivedSessionKeys;
import io.millrace.auth.session.RevocationLog;
import io.millrace.auth.session.SessionKeyFile;
import io.millrace.auth.session.SessionKeySource;
import io.millrace.auth.session.SignInSealer;
import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.cache.BlockCache;
import io.millrace.config.binding.EffectiveSettingsLister;
import io.millrace.gateway.audit.AuditLog;
import io.millrace.gateway.control.ApiAuditFilter;
import io.millrace.gateway.control.ClusterView;
import io.millrace.gateway.control.ControlConfiguration;
import io.millrace.gateway.control.LocalCalls;
import io.millrace.gateway.control.Schedules;
import io.millrace.gateway.control.SettingsInForce;
import io.millrace.gateway.control.SettingsOverview;
import io.millrace.gateway.control.SharedCacheMembers;
import io.millrace.gateway.control.StartupBackendProbe;
import io.millrace.gateway.control.StateClock;
import io.millrace.gateway.jobs.JobAccess;
import io.millrace.gateway.jobs.JobCacheAccess;
import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.bucket.ResidencyGroupFactory;
import io.millrace.gateway.objects.derived.ArchiveIndexes;
import io.millrace.gateway.objects.derived.Transforms;
import io.millrace.gateway.objects.monitor.BackendFailureTracker;
import io.millrace.gateway.objects.monitor.EventLoopLag;
import io.millrace.gateway.objects.read.CacheLease;
import io.millrace.gateway.objects.read.CacheResidency;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.HeadPrefetcher;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.objects.write.WriteReplication;
import io.millrace.gateway.s3.bucket.ContinuationTokenSealer;
import io.millrace.gateway.s3.connection.ConnectionMeters;
import io.millrace.gateway.s3.connection.IdleConnectionLimiter;
import io.millrace.gateway.s3.hub.HubSettings;
import io.millrace.gateway.s3.observe.AccessLog;
import io.millrace.gateway.s3.observe.AccessLogSettings;
import io.millrace.gateway.s3.observe.RequestMeters;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.observe.TrafficHistory;
import io.millrace.gateway.s3.server.S3Server;
import io.millrace.gateway.tls.TlsPipeline;
import io.millrace.kit.file.FileFailureText;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.netty.resources.LoopResources;

/** Spring configuration that wires all packages of the gateway; no other class depends on all of them. */
@SpringBootConfiguration(proxyBeanMethods = false)
// Only what the control port uses: each other auto-configuration makes every start longer.
@ImportAutoConfiguration({
    LifecycleAutoConfiguration.class,
    NettyReactiveWebServerAutoConfiguration.class,
    HttpHandlerAutoConfiguration.class,
    WebFluxAutoConfiguration.class,
    ErrorWebFluxAutoConfiguration.class
})
@Import({ControlConfiguration.class, MeterConfiguration.class})
class GatewayConfiguration {
    private static final Logger log = LoggerFactory.getLogger(GatewayConfiguration.class);

    @Bean
    CurrentBucketNames bucketNames(MillraceSettings settings) {
        return new CurrentBucketNames(new ClientBucketNames(settings.buckets()));
    }

    @Bean(destroyMethod = "close")
    CacheLifecycle cache(MillraceSettings settings, CurrentBucketNames names, MeterRegistry registry) {
        return CacheLifecycle.open(
                settings.cache(), ResidencyGroupFactory.of(settings.buckets()), names.get(), settings.data(), registry);
    }

    /** Returns null without a path, so that there is no such bean. */
    @Bean(destroyMethod = "close")
    @Nullable AuditLog auditLog(MillraceSettings settings, MeterRegistry registry) {
        Optional<Path> path = settings.audit().path();
        try {
            return path.isPresent() ? AuditLog.open(settings.audit(), InstantSource.system(), registry) : null;
        } catch (IOException e) {
            throw new StartException(
                    ("audit.path: %s cannot be written (%s). To mend it, make its folder and let this user write to it,"
                                    + " or name another file")
                            .formatted(path.orElseThrow(), FileFailureText.of(e)),
                    e);
        }
    }

    /** Returns null without its section, so that there is no such bean. */
    @Bean(destroyMethod = "close")
    @Nullable AccessLog accessLog(MillraceSettings settings, MeterRegistry registry) {
        Optional<AccessLogSettings> section = settings.s3().accessLog();
        try {
            return section.isPresent() ? AccessLog.open(section.get(), InstantSource.system(), registry) : null;
        } catch (IOException e) {
            throw new StartException(
                    ("s3.access-log.path: %s cannot be written (%s). To mend it, make its folder and let this user"
                                    + " write to it, name another file, or leave the path out for standard output")
                            .formatted(section.flatMap(AccessLogSettings::file).orElseThrow(), FileFailureText.of(e)),
                    e);
        }
    }

    @Bean(destroyMethod = "close")
    RevocationLog revocations(MillraceSettings settings) {
        try {
            return RevocationLog.open(settings.data(), InstantSource.system());
        } catch (IOException e) {
            throw new StartException("cannot read or write the revocations in " + e.getMessage(), e);
        }
    }

    @Bean
    TrustedProxies proxies(MillraceSettings settings) {
        return new TrustedProxies(settings.s3().trustedProxies());
    }

    @Bean
    ApiAuditFilter auditFilter(Optional<AuditLog> audit, TrustedProxies proxies) {
        return new ApiAuditFilter(audit, InstantSource.system(), proxies);
    }

    @Bean
    ObjectSourceFactory objectSources(Optional<ClusterMembership> cluster) {
        return cluster.isPresent() ? cluster.get().sources() : ObjectSourceFactory.BACKENDS;
    }

    /**
     * Returns null without its section, so that there is no such bean, and no class of the cluster's module is loaded.
     */
    @Bean(destroyMethod = "close")
    @Nullable ClusterMembership cluster(
            MillraceSettings settings,
            CacheLifecycle cache,
            PortCertificates certificates,
            ObjectProvider<CurrentSettings> current,
            ObjectProvider<CurrentObjectFinder> objects,
            ObjectProvider<FencedWrites> writes,
            ObjectProvider<LocalCalls> calls,
            RevocationLog revocations,
            PrometheusMeterRegistry registry) {
        return settings.cluster().isPresent()
                ? ClusterLifecycle.open(
                        settings,
                        cache.blocks(),
                        certificates.s3(),
                        current::getObject,
                        objects::getObject,
                        writes::getObject,
                        calls::getObject,
                        revocations,
                        registry)
                : null;
    }

    @Bean
    CacheLease lease(Optional<ClusterMembership> cluster) {
        return cluster.isPresent() ? cluster.get().lease() : CacheLease.ALWAYS;
    }

    @Bean
    CurrentObjectFinder objects(CacheLifecycle cache, ObjectSourceFactory sources, CacheLease lease) {
        return new CurrentObjectFinder(cache.blocks(), sources, InstantSource.system(), lease);
    }

    @Bean
    ArchiveIndexes archiveIndexes(CacheLifecycle cache, MeterRegistry registry) {
        ArchiveIndexes indexes = new ArchiveIndexes(cache.blocks());
        indexes.register(registry);
        return indexes;
    }

    @Bean
    Transforms transforms(MeterRegistry registry) {
        return new Transforms(registry);
    }

    @Bean
    HeadPrefetcher headPrefetcher(CacheLifecycle cache, ObjectSourceFactory sources) {
        return new HeadPrefetcher(cache.blocks(), sources, InstantSource.system());
    }

    @Bean
    FencedWrites writes(CacheLifecycle cache, CurrentObjectFinder objects, Optional<ClusterMembership> cluster) {
        return new FencedWrites(
                cache.blocks(), objects, cluster.isPresent() ? cluster.get().replication() : WriteReplication.NONE);
    }

    @Bean
    JobsLifecycle jobs(
            MillraceSettings settings,
            CurrentSettings current,
            FencedWrites writes,
            CacheLifecycle cache,
            ObjectSourceFactory sources,
            CacheLease lease,
            MeterRegistry registry) {
        Optional<JobCacheAccess> work =
                cache.blocks().map(blocks -> JobCacheAccess.of(blocks, sources, InstantSource.system(), lease));
        return JobsLifecycle.open(settings, () -> access(current.get()), writes, work, new JobMeters(registry));
    }

    /** Starts after the jobs that it adds to, and stops before them. */
    @Bean
    Schedules schedules(MillraceSettings settings, JobsLifecycle jobs, MeterRegistry registry) {
        JobMeters meters = new JobMeters(registry);
        meters.watchSchedules(settings.schedules().keySet());
        return Schedules.of(jobs.jobs(), settings.schedules(), meters::timePassed);
    }

    private static JobAccess access(SettingsSnapshot snapshot) {
        return new JobAccess(snapshot.authorizer(), snapshot.credentials(), snapshot.buckets());
    }

    @Bean
    PrefetchThrottle prefetchThrottle(RequestMeters requests, EventLoopLag lag, CacheLifecycle cache) {
        PrefetchThrottle throttle = new PrefetchThrottle(
                requests::ended,
                requests::inFlight,
                lag::lately,
                share -> cache.blocks().ifPresent(blocks -> blocks.prefetcher().throttle(share)));
        throttle.start();
        return throttle;
    }

    /** Returns the keys that all members of a cluster derive from its secret; without a cluster, those of a file. */
    @Bean
    SessionKeySource sessionKeys(MillraceSettings settings) {
        Optional<ClusterSettings> cluster = settings.cluster();
        if (cluster.isPresent()) {
            return new DerivedSessionKeys(
                    cluster.get().secret().reveal(), cluster.get().name(), InstantSource.system());
        }
        try {
            SessionKeyFile keys =
                    SessionKeyFile.in(settings.data(), settings.sts().keyRotation(), InstantSource.system());
            keys.start();
            return keys;
        } catch (IOException e) {
            throw new StartException("cannot read or write the session keys in " + e.getMessage(), e);
        }
    }

    @Bean
    SnapshotFactory snapshots(
            MillraceSettings settings,
            MeterRegistry registry,
            BackendFailureTracker failures,
            BucketSavingsRegistry accounts,
            CurrentObjectFinder objects,
            ArchiveIndexes archives,
            Transforms transforms,
            CacheLifecycle cache,
            HeadPrefetcher prefetches,
            FencedWrites writes,
            @Qualifier("recorder") RequestRecorder recorder,
            TrafficCollector traffic,
            TrafficHistory history,
            CurrentBucketNames names,
            SessionKeySource sessionKeys,
            RevocationLog revocations,
            Optional<AuditLog> audit,
            Optional<AccessLog> accesses,
            StateClock since) {
        return new SnapshotFactory(
                registry,
                failures,
                accounts,
                objects,
                archives,
                transforms,
                cache.blocks(),
                prefetches,
                writes,
                new ContinuationTokenSealer(ContinuationTokenKey.of(settings)),
                sessionKeys,
                revocations.inForce(),
                audit,
                accesses,
                recorder,
                traffic::busiestBuckets,
                history,
                names,
                since,
                Instant.now());
    }

    @Bean(destroyMethod = "close")
    CurrentSettings current(MillraceSettings settings, SnapshotFactory snapshots, MeterRegistry registry) {
        return new CurrentSettings(snapshots.create(settings, Map.of()), registry);
    }

    @Bean(destroyMethod = "close")
    SettingsReloader reloader(
            Optional<SettingsSource> source,
            CurrentSettings current,
            SnapshotFactory snapshots,
            PortCertificates certificates,
            List<PortLifecycle> ports,
            JobsLifecycle jobs,
            Schedules schedules,
            SessionKeySource sessionKeys,
            Optional<ClusterMembership> cluster,
            MeterRegistry registry) {
        return new SettingsReloader(
                source,
                current,
                snapshots,
                List.of(
                        next -> () -> cluster.ifPresent(member -> member.reload(next)),
                        next -> certificates.prepare(
                                next.s3().tls(), next.admin().tls()),
                        next -> () -> ports.forEach(port -> port.limitConnections(next.s3())),
                        next -> () -> sessionKeys.rotateEvery(next.sts().keyRotation()),
                        next -> () -> {
                            new JobMeters(registry)
                                    .watchSchedules(next.schedules().keySet());
                            schedules.replace(next.schedules());
                        },
                        new LogLevels(current.get().settings().log())),
                jobs.jobs()::refresh,
                registry);
    }

    @Bean(destroyMethod = "close")
    PortCertificates certificates(MillraceSettings settings, MeterRegistry registry) {
        return new PortCertificates(settings.s3().tls(), settings.admin().tls(), registry);
    }

    @Bean
    NettyServerCustomizer controlConnections(PortCertificates certificates) {
        IdleConnectionLimiter limiter = new IdleConnectionLimiter(
                "the control port",
                ControlPlaneSettings.MOST_CONNECTIONS,
                ControlPlaneSettings.MOST_CONNECTIONS_OF_ONE);
        return server -> server.doOnChannelInit((observer, channel, address) -> {
            if (limiter.admit(channel)) {
                certificates.admin().ifPresent(tls -> TlsPipeline.install(channel, tls.get()));
            }
        });
    }

    @Bean
    DataPlaneLifecycle dataPlane(
            MillraceSettings settings,
            CurrentSettings current,
            PortCertificates certificates,
            MeterRegistry registry,
            EventLoopLag lag,
            Optional<ClusterMembership> cluster) {
        S3Server server = new S3Server(
                settings.s3(), () -> current.get().service(), certificates.s3(), new ConnectionMeters(registry, "s3"));
        lag.watch(server.eventLoops());
        return new DataPlaneLifecycle(
                server, settings.s3().address(), () -> cluster.ifPresent(ClusterMembership::beginToStop));
    }

    /** Returns null without a Hub port, so that there is no such bean. */
    @Bean
    @Nullable PortLifecycle hubPort(
            MillraceSettings settings, CurrentSettings current, MeterRegistry registry, EventLoopLag lag) {
        if (settings.hub().isEmpty()) {
            return null;
        }
        HubSettings hub = settings.hub().get();
        S3Server server = new S3Server(
                settings.s3().plainAt(hub.address(), hub.port()),
                () -> current.get().hub().orElseThrow(),
                Optional.empty(),
                new ConnectionMeters(registry, "hub"));
        lag.watch(server.eventLoops());
        return new PortLifecycle(
                server,
                "hub",
                () -> log.info(
                        "The Hub port is http://{}:{}: set HF_ENDPOINT of clients to it",
                        hub.address(),
                        server.port()));
    }

    @Bean
    ThreadWatch threadWatch(
            List<PortLifecycle> ports, Optional<ClusterMembership> cluster, ReactorResourceFactory control) {
        Map<String, Iterable<EventExecutor>> loops = new HashMap<>();
        ports.forEach(port -> loops.put("the " + port.section() + " port", port.eventLoops()));
        cluster.ifPresent(member -> loops.put("the cluster's port", member.eventLoops()));
        loops.put("the control port", control.getLoopResources().onServer(LoopResources.DEFAULT_NATIVE));
        loops.put("the connections to backends", HttpConnectionPool.allLoops());
        return new ThreadWatch(loops);
    }

    @Bean
    StartupBackendProbe backendProbe(
            CurrentBucketNames names, CurrentSettings current, BackendFailureTracker failures, StateClock since) {
        return new StartupBackendProbe(
                names.get(), SettingsSnapshot.byName(current.get().backends().values()), failures, since);
    }

    @Bean
    SettingsInForce settingsInForce(CurrentSettings current) {
        return new SettingsInForce(
                () -> current.get().verifier(),
                () -> current.get().tokens(),
                () -> current.get().credentials(),
                () -> current.get().signIn(),
                () -> current.get().buckets(),
                () -> overview(current.get().settings()),
                () -> current.get().health().get());
    }

    /** Shows what this gateway knows of its cluster; empty without one. */
    @Bean
    Supplier<Optional<ClusterView>> clusterView(Optional<ClusterMembership> cluster) {
        return () -> cluster.map(member -> member.view());
    }

    @Bean
    SharedCacheMembers sharedCacheMembers(Optional<ClusterMembership> cluster) {
        return cluster.isPresent() ? cluster.get().members() : SharedCacheMembers.NONE;
    }

    /** Decides by the bucket policies in force. */
    @Bean
    Authorizer authorizer(CurrentSettings current) {
        return new Authorizer(bucket -> current.get().buckets().policyOf(bucket));
    }

    @Bean
    SignInSealer signInSealer(SessionKeySource sessionKeys) {
        return new SignInSealer(sessionKeys);
    }

    /** Closed by {@link JobsLifecycle}, before what they use. */
    @Bean(destroyMethod = "")
    JobService jobService(JobsLifecycle jobs) {
        return jobs.jobs();
    }

    /** Returns null without a cache, so that there is no such bean. */
    @Bean
    @Nullable CacheResidency cacheResidency(CacheLifecycle cache) {
        return cache.blocks()
                .map(blocks -> new CacheResidency(blocks.reader(), blocks.inventory()))
                .orElse(null);
    }

    /** Returns null without a cache, so that there is no such bean. */
    @Bean
    @Nullable CacheDiskOperations diskOperations(CacheLifecycle cache) {
        return cache.blocks()
                .map(BlockCache::administration)
                .map(CacheDiskOperations::new)
                .orElse(null);
    }

    private static SettingsOverview overview(MillraceSettings settings) {
        return new SettingsOverview(
                settings.identities(),
                settings.sts().roles(),
                settings.buckets(),
                EffectiveSettingsLister.of(settings));
    }

    @Bean
    RouterFunction<ServerResponse> controlRoutes(
            PrometheusMeterRegistry registry,
            DataPlaneLifecycle dataPlane,
            CacheLifecycle cache,
            Optional<ClusterMembership> cluster) {
        return HealthAndMetricsRoutes.of(
                registry,
                () -> ServingState.of(
                        dataPlane.hasStarted(),
                        dataPlane.isRunning(),
                        cache.isMetadataUsable(),
                        cluster.isEmpty() || cluster.get().isReady()),
                () -> cluster.flatMap(ClusterMembership::whyUnready));
    }
}
