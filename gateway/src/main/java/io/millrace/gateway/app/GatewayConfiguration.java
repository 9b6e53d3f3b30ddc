package io.millrace.gateway.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Identities;
import io.millrace.auth.RequestVerifier;
import io.millrace.auth.Tokens;
import io.millrace.gateway.bucket.BucketNames;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.bucket.CountedBuckets;
import io.millrace.gateway.control.ControlConfiguration;
import io.millrace.gateway.control.ControlParts;
import io.millrace.gateway.cors.CorsRules;
import io.millrace.gateway.freshness.CachedObjects;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.freshness.Residents;
import io.millrace.gateway.gate.Gate;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.HostRule;
import io.millrace.gateway.job.CacheWork;
import io.millrace.gateway.listing.PageTokens;
import io.millrace.gateway.observe.AccessLog;
import io.millrace.gateway.observe.BackendFailures;
import io.millrace.gateway.observe.LoopLag;
import io.millrace.gateway.observe.MicrometerRecorder;
import io.millrace.gateway.observe.RepeatedWarnings;
import io.millrace.gateway.observe.S3Recorder;
import io.millrace.gateway.observe.SavingMeters;
import io.millrace.gateway.observe.SavingRecorder;
import io.millrace.gateway.observe.TrafficHistory;
import io.millrace.gateway.saving.Accounts;
import io.millrace.gateway.server.S3Server;
import io.millrace.gateway.server.S3Service;
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

/** How the rooms of the gateway are joined. The only place that knows all of them. */
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
    OpenBackends backends(MillraceSettings settings, MeterRegistry registry, BackendFailures failures) {
        return new OpenBackends(Backends.create(settings.backends(), registry, failures));
    }

    @Bean
    BucketNames bucketNames(MillraceSettings settings) {
        return new BucketNames(settings.buckets());
    }

    @Bean(destroyMethod = "close")
    RepeatedWarnings backendWarnings() {
        return RepeatedWarnings.to(LoggerFactory.getLogger(BackendFailures.class));
    }

    @Bean
    BackendFailures backendFailures(BucketNames names, RepeatedWarnings warnings) {
        return new BackendFailures(names::find, warnings);
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    TrafficHistory trafficHistory(MeterRegistry registry) {
        return new TrafficHistory(registry);
    }

    @Bean
    Accounts accounts(MillraceSettings settings, BucketNames names, MeterRegistry registry) {
        return new Accounts(settings::pricesOf, new SavingMeters(registry, names::of));
    }

    @Bean
    Buckets buckets(MillraceSettings settings, OpenBackends backends, Accounts accounts) {
        return new Buckets(settings.buckets(), backends.byName(), accounts);
    }

    @Bean(destroyMethod = "close")
    OpenCache cache(MillraceSettings settings, BucketNames names, MeterRegistry registry) {
        return OpenCache.open(
                settings.cache(), CountedBuckets.of(settings.buckets()), names, settings.data(), registry);
    }

    @Bean
    Identities identities(MillraceSettings settings) {
        return Identities.of(settings.identities());
    }

    @Bean
    RequestVerifier verifier(MillraceSettings settings, Identities identities) {
        return new RequestVerifier(identities, settings.s3().signatures(), InstantSource.system());
    }

    @Bean
    AccessPolicy policy(Buckets buckets) {
        return new AccessPolicy(buckets::anonymousRights);
    }

    @Bean
    Gate gate(RequestVerifier verifier, AccessPolicy policy) {
        return new Gate(verifier, policy, InstantSource.system());
    }

    @Bean
    CachedObjects objects(OpenCache cache) {
        return new CachedObjects(cache.blocks(), InstantSource.system());
    }

    @Bean
    ObjectWrites writes(OpenCache cache, CachedObjects objects) {
        return new ObjectWrites(cache.blocks(), objects);
    }

    @Bean
    RunningJobs jobs(
            MillraceSettings settings,
            AccessPolicy policy,
            Identities identities,
            Buckets buckets,
            ObjectWrites writes,
            OpenCache cache,
            MeterRegistry registry) {
        Optional<CacheWork> work = cache.blocks().map(blocks -> CacheWork.of(blocks, InstantSource.system()));
        return RunningJobs.open(settings, policy, identities, buckets, writes, work, new JobMeters(registry));
    }

    @Bean
    LoopLag loopLag(MeterRegistry registry) {
        return new LoopLag(registry);
    }

    @Bean
    MicrometerRecorder requestMeters(MeterRegistry registry) {
        return new MicrometerRecorder(registry);
    }

    @Bean
    Courtesy courtesy(MicrometerRecorder requests, LoopLag lag, OpenCache cache) {
        Courtesy courtesy = new Courtesy(
                requests::ended,
                requests::inFlight,
                lag::lately,
                share -> cache.blocks().ifPresent(blocks -> blocks.slowAhead(share)));
        courtesy.start();
        return courtesy;
    }

    @Bean
    S3Service service(
            MillraceSettings settings,
            Gate gate,
            Buckets buckets,
            CachedObjects objects,
            ObjectWrites writes,
            MicrometerRecorder requests) {
        PageTokens tokens = new PageTokens(ListingKey.in(settings.data()));
        CorsRules cors = new CorsRules(buckets);
        S3Recorder recorder =
                requests.and(new SavingRecorder(name -> buckets.findAny(name).map(BucketView::account)));
        List<S3Handler> handlers = Handlers.of(gate, buckets, cors, objects, writes, tokens);
        return new S3Service(
                new HostRule(settings.s3().domain()),
                gate,
                cors,
                handlers,
                settings.s3().accessLog() ? recorder.and(new AccessLog()) : recorder);
    }

    @Bean
    DataPlane dataPlane(MillraceSettings settings, S3Service service, LoopLag lag) {
        S3Server server = new S3Server(settings.s3(), service);
        lag.watch(server.eventLoops());
        return new DataPlane(server, settings.s3().address());
    }

    @Bean
    BackendProbe backendProbe(BucketNames names, OpenBackends backends) {
        return new BackendProbe(names, backends.byName());
    }

    @Bean
    ControlParts controlParts(
            MillraceSettings settings,
            Identities identities,
            RequestVerifier verifier,
            AccessPolicy policy,
            Buckets buckets,
            BucketNames names,
            CachedObjects objects,
            ObjectWrites writes,
            RunningJobs jobs,
            OpenBackends backends,
            OpenCache cache,
            DataPlane dataPlane,
            Accounts accounts,
            TrafficHistory history,
            BackendFailures failures) {
        return new ControlParts(
                verifier,
                new Tokens(identities, settings.s3().signatures(), InstantSource.system()),
                policy,
                buckets,
                objects,
                writes,
                cache.blocks().map(Residents::new),
                jobs.jobs(),
                new StatusSource(backends, cache, accounts, names, dataPlane::port),
                cache.blocks().map(CacheDisks::new),
                history,
                new BackendHealth(settings.backends(), names, backends.byName(), history, failures));
    }

    @Bean
    RouterFunction<ServerResponse> controlRoutes(PrometheusMeterRegistry registry, DataPlane dataPlane) {
        return ControlRoutes.of(registry, dataPlane::isRunning);
    }
}
