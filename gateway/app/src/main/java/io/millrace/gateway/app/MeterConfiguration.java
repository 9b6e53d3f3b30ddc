package io.millrace.gateway.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.gateway.audit.AuditLog;
import io.millrace.gateway.control.AlarmCollector;
import io.millrace.gateway.control.AlarmSources;
import io.millrace.gateway.control.StateClock;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.monitor.BackendFailureTracker;
import io.millrace.gateway.objects.monitor.EventLoopLag;
import io.millrace.gateway.objects.monitor.SavingsMeters;
import io.millrace.gateway.objects.monitor.WarningLimiter;
import io.millrace.gateway.s3.observe.AuditRecorder;
import io.millrace.gateway.s3.observe.ErrorCounts;
import io.millrace.gateway.s3.observe.RecentRequests;
import io.millrace.gateway.s3.observe.RequestMeters;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.observe.TrafficByName;
import io.millrace.gateway.s3.observe.TrafficHistory;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.scheduler.Schedulers;

/**
 * Spring configuration of what is measured: the registry of meters, and what counts requests, failures, savings and
 * states for it.
 */
@Configuration(proxyBeanMethods = false)
class MeterConfiguration {
    @Bean
    PrometheusMeterRegistry meterRegistry() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        // First, because it sets names.
        new ProcessMeters().bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        return registry;
    }

    @Bean(destroyMethod = "close")
    JvmGcMetrics gcMetrics(MeterRegistry registry) {
        JvmGcMetrics metrics = new JvmGcMetrics();
        metrics.bindTo(registry);
        return metrics;
    }

    @Bean(destroyMethod = "close")
    WarningLimiter backendWarnings() {
        return WarningLimiter.to(LoggerFactory.getLogger(BackendFailureTracker.class));
    }

    @Bean
    BackendFailureTracker backendFailures(CurrentBucketNames names, WarningLimiter warnings) {
        return new BackendFailureTracker((backend, bucket) -> names.get().find(backend, bucket), warnings);
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    TrafficHistory trafficHistory(
            MeterRegistry registry,
            RequestMeters requests,
            BucketSavingsRegistry accounts,
            CurrentBucketNames names,
            ErrorCounts errors) {
        return new TrafficHistory(registry, requests, accounts, names, errors);
    }

    @Bean
    StateClock stateClock() {
        return new StateClock(InstantSource.system());
    }

    @Bean
    RecentRequests recentRequests() {
        return new RecentRequests(InstantSource.system());
    }

    @Bean
    BucketSavingsRegistry accounts(MillraceSettings settings, CurrentBucketNames names, MeterRegistry registry) {
        return new BucketSavingsRegistry(
                settings::pricesOf,
                new SavingsMeters(registry, (backend, bucket) -> names.get().of(backend, bucket)));
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
    TrafficCollector trafficByName(
            MillraceSettings settings, CurrentBucketNames names, PrometheusMeterRegistry registry) {
        TrafficCollector collector = new TrafficCollector(
                TrafficByName.ofBuckets(names.get().all()),
                settings.admin().metricsByIdentity() ? Optional.of(TrafficByName.ofIdentities()) : Optional.empty());
        registry.getPrometheusRegistry().register(collector);
        return collector;
    }

    @Bean
    ErrorCounts errorCounts(TrafficCollector traffic) {
        return new ErrorCounts(traffic::isBucketApart);
    }

    @Bean
    RequestRecorder recorder(
            RequestMeters requests,
            TrafficCollector traffic,
            ErrorCounts errors,
            RecentRequests recent,
            Optional<AuditLog> audit) {
        RequestRecorder recorder = requests.and(traffic.recorder()).and(errors).and(recent);
        return audit.isPresent() ? recorder.and(new AuditRecorder(audit.get(), InstantSource.system())) : recorder;
    }

    @Bean
    GatewayStatusCollector gatewayStatus(
            CurrentSettings current,
            CacheLifecycle cache,
            RequestMeters requests,
            BucketSavingsRegistry accounts,
            CurrentBucketNames names,
            DataPlaneLifecycle dataPlane,
            StateClock since,
            AlarmCollector alarms) {
        return new GatewayStatusCollector(
                () -> current.get().backends().keySet(),
                cache,
                requests,
                accounts,
                names,
                dataPlane::port,
                since,
                alarms);
    }

    @Bean
    AlarmCollector alarms(
            CacheLifecycle cache,
            Optional<AuditLog> audit,
            PortCertificates certificates,
            TrafficHistory traffic,
            StateClock since,
            Optional<ClusterMembership> cluster,
            MeterRegistry registry) {
        return new AlarmCollector(
                AlarmSources.of(
                        cache::isMetadataUsable,
                        audit,
                        certificates::states,
                        () -> cluster.map(member -> member.view()),
                        traffic,
                        registry),
                since,
                InstantSource.system());
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    StatePoller stateObserver(CurrentSettings current, GatewayStatusCollector status) {
        return new StatePoller(status::observe, () -> current.get().health().observeTrouble(), Schedulers.parallel());
    }

    @Bean
    HealthCollector health(CurrentSettings current, PrometheusMeterRegistry registry) {
        HealthCollector collector =
                new HealthCollector(() -> current.get().health().get());
        registry.getPrometheusRegistry().register(collector);
        return collector;
    }

    @Bean
    ActiveJobsCollector activeJobs(JobsLifecycle jobs, PrometheusMeterRegistry registry) {
        ActiveJobsCollector collector = new ActiveJobsCollector(jobs.jobs()::active, InstantSource.system());
        registry.getPrometheusRegistry().register(collector);
        return collector;
    }
}
