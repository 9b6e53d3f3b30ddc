package io.millrace.gateway.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.auth.identity.IdentityRegistry;
import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.auth.token.BearerTokens;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.app.backend.BackendHealthCache;
import io.millrace.gateway.app.backend.OpenBackends;
import io.millrace.gateway.app.backend.StartupBackendProbe;
import io.millrace.gateway.app.settings.BackendTypes;
import io.millrace.gateway.app.settings.MillraceSettings;
import io.millrace.gateway.control.ControlConfiguration;
import io.millrace.gateway.control.ControlDependencies;
import io.millrace.gateway.jobs.task.JobCacheAccess;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.bucket.QuotaPrefixes;
import io.millrace.gateway.objects.monitor.BackendFailureTracker;
import io.millrace.gateway.objects.monitor.EventLoopLag;
import io.millrace.gateway.objects.monitor.SavingsMeters;
import io.millrace.gateway.objects.monitor.WarningLimiter;
import io.millrace.gateway.objects.read.CachedObjects;
import io.millrace.gateway.objects.residency.CacheResidency;
import io.millrace.gateway.objects.savings.SavingsLedger;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.cors.CorsRuleCache;
import io.millrace.gateway.s3.gate.Gate;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.listing.ContinuationTokenSealer;
import io.millrace.gateway.s3.observe.AccessLog;
import io.millrace.gateway.s3.observe.RequestMeters;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.observe.SavingsRecorder;
import io.millrace.gateway.s3.observe.TrafficHistory;
import io.millrace.gateway.s3.protocol.BucketHostRule;
import io.millrace.gateway.s3.server.S3RequestService;
import io.millrace.gateway.s3.server.S3Server;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;

/** Spring configuration that wires all packages of the gateway; no other class depends on all of them. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(ControlConfiguration.class)
class GatewayConfiguration {
    @Bean
    PrometheusMeterRegistry meterRegistry() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        return registry;
    }

    @Bean(destroyMethod = "close")
    JvmGcMetrics gcMetrics(MeterRegistry registry) {
        JvmGcMetrics metrics = new JvmGcMetrics();
        metrics.bindTo(registry);
        return metrics;
    }

    @Bean(destroyMethod = "close")
    OpenBackends backends(MillraceSettings settings, MeterRegistry registry, BackendFailureTracker failures) {
        return new OpenBackends(BackendTypes.create(settings.backends(), registry, failures));
    }

    @Bean
    ClientBucketNames bucketNames(MillraceSettings settings) {
        return new ClientBucketNames(settings.buckets());
    }

    @Bean(destroyMethod = "close")
    WarningLimiter backendWarnings() {
        return WarningLimiter.to(LoggerFactory.getLogger(BackendFailureTracker.class));
    }

    @Bean
    BackendFailureTracker backendFailures(ClientBucketNames names, WarningLimiter warnings) {
        return new BackendFailureTracker(names::find, warnings);
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    TrafficHistory trafficHistory(MeterRegistry registry) {
        return new TrafficHistory(registry);
    }

    @Bean
    SavingsLedger accounts(MillraceSettings settings, ClientBucketNames names, MeterRegistry registry) {
        return new SavingsLedger(settings::pricesOf, new SavingsMeters(registry, names::of));
    }

    @Bean
    BucketRegistry buckets(MillraceSettings settings, OpenBackends backends, SavingsLedger accounts) {
        return new BucketRegistry(settings.buckets(), backends.byName(), accounts);
    }

    @Bean(destroyMethod = "close")
    CacheLifecycle cache(MillraceSettings settings, ClientBucketNames names, MeterRegistry registry) {
        return CacheLifecycle.open(
                settings.cache(), QuotaPrefixes.of(settings.buckets()), names, settings.data(), registry);
    }

    @Bean
    IdentityRegistry identities(MillraceSettings settings) {
        return IdentityRegistry.of(settings.identities());
    }

    @Bean
    RequestVerifier verifier(MillraceSettings settings, IdentityRegistry identities) {
        return new RequestVerifier(identities, settings.s3().signatures(), InstantSource.system());
    }

    @Bean
    AccessPolicy policy(BucketRegistry buckets) {
        return new AccessPolicy(buckets::anonymousRights);
    }

    @Bean
    Gate gate(RequestVerifier verifier, AccessPolicy policy) {
        return new Gate(verifier, policy, InstantSource.system());
    }

    @Bean
    CachedObjects objects(CacheLifecycle cache) {
        return new CachedObjects(cache.blocks(), InstantSource.system());
    }

    @Bean
    FencedWrites writes(CacheLifecycle cache, CachedObjects objects) {
        return new FencedWrites(cache.blocks(), objects);
    }

    @Bean
    JobsLifecycle jobs(
            MillraceSettings settings,
            AccessPolicy policy,
            IdentityRegistry identities,
            BucketRegistry buckets,
            FencedWrites writes,
            CacheLifecycle cache,
            MeterRegistry registry) {
        Optional<JobCacheAccess> work = cache.blocks().map(blocks -> JobCacheAccess.of(blocks, InstantSource.system()));
        return JobsLifecycle.open(settings, policy, identities, buckets, writes, work, new JobMeters(registry));
    }

    @Bean
    EventLoopLag loopLag(MeterRegistry registry) {
        return new EventLoopLag(registry);
    }

    @Bean
    RequestMeters requestMeters(MeterRegistry registry) {
        return new RequestMeters(registry);
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

    @Bean
    S3RequestService service(
            MillraceSettings settings,
            Gate gate,
            BucketRegistry buckets,
            CachedObjects objects,
            FencedWrites writes,
            RequestMeters requests) {
        ContinuationTokenSealer tokens = new ContinuationTokenSealer(ContinuationTokenKey.in(settings.data()));
        CorsRuleCache cors = new CorsRuleCache(buckets);
        RequestRecorder recorder =
                requests.and(new SavingsRecorder(name -> buckets.findAny(name).map(BucketView::savings)));
        List<S3Handler> handlers = HandlerRegistry.of(gate, buckets, cors, objects, writes, tokens);
        return new S3RequestService(
                new BucketHostRule(settings.s3().domain()),
                gate,
                cors,
                handlers,
                settings.s3().accessLog() ? recorder.and(new AccessLog()) : recorder);
    }

    @Bean
    DataPlaneLifecycle dataPlane(MillraceSettings settings, S3RequestService service, EventLoopLag lag) {
        S3Server server = new S3Server(settings.s3(), service);
        lag.watch(server.eventLoops());
        return new DataPlaneLifecycle(server, settings.s3().address());
    }

    @Bean
    StartupBackendProbe backendProbe(ClientBucketNames names, OpenBackends backends) {
        return new StartupBackendProbe(names, backends.byName());
    }

    @Bean
    ControlDependencies controlParts(
            MillraceSettings settings,
            IdentityRegistry identities,
            RequestVerifier verifier,
            AccessPolicy policy,
            BucketRegistry buckets,
            ClientBucketNames names,
            CachedObjects objects,
            FencedWrites writes,
            JobsLifecycle jobs,
            OpenBackends backends,
            CacheLifecycle cache,
            DataPlaneLifecycle dataPlane,
            SavingsLedger accounts,
            TrafficHistory history,
            BackendFailureTracker failures) {
        return new ControlDependencies(
                verifier,
                new BearerTokens(identities, settings.s3().signatures(), InstantSource.system()),
                policy,
                buckets,
                objects,
                writes,
                cache.blocks().map(blocks -> new CacheResidency(blocks.reader(), blocks.inventory())),
                jobs.jobs(),
                new GatewayStatusCollector(backends, cache, accounts, names, dataPlane::port),
                cache.blocks().map(BlockCache::administration).map(CacheDiskOperations::new),
                history,
                new BackendHealthCache(settings.backends(), names, backends.byName(), history, failures));
    }

    @Bean
    RouterFunction<ServerResponse> controlRoutes(PrometheusMeterRegistry registry, DataPlaneLifecycle dataPlane) {
        return HealthAndMetricsRoutes.of(registry, dataPlane::isRunning);
    }
}
