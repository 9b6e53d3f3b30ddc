package io.millrace.gateway.app;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.millrace.gateway.control.CertificateState;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.tls.TlsSettings;
import io.millrace.kit.async.DaemonThreads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The TLS contexts of both ports. A thread of its own reloads them when their files change; meters tell when they
 * expire.
 */
final class PortCertificates implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final Optional<ReloadingTlsContext> s3;
    private final Optional<ReloadingTlsContext> admin;

    private final ScheduledExecutorService thread = DaemonThreads.timer("tls-reload");

    /**
     * Loads the files.
     *
     * @throws io.millrace.gateway.app.StartException if they cannot be used
     */
    PortCertificates(Optional<TlsSettings> s3, Optional<TlsSettings> admin, MeterRegistry registry) {
        this.s3 = s3.map(settings -> ReloadingTlsContext.load("s3", settings));
        this.admin = admin.map(settings -> ReloadingTlsContext.load("admin", settings));
        List<ReloadingTlsContext> all =
                Stream.of(this.s3, this.admin).flatMap(Optional::stream).toList();
        all.forEach(context -> register(context, registry));
        if (!all.isEmpty()) {
            Future<?> unused = thread.scheduleWithFixedDelay(
                    () -> all.forEach(ReloadingTlsContext::reloadIfChanged),
                    INTERVAL.toMillis(),
                    INTERVAL.toMillis(),
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Returns the context of the data plane; empty for plain HTTP. */
    Optional<ReloadingTlsContext> s3() {
        return s3;
    }

    /** Returns the context of the control plane; empty for plain HTTP. */
    Optional<ReloadingTlsContext> admin() {
        return admin;
    }

    /** Returns the state of the certificate of each port that has TLS. */
    List<CertificateState> states() {
        return Stream.of(s3, admin)
                .flatMap(Optional::stream)
                .map(context -> new CertificateState(context.port(), context.expiresAt(), context.isFailing()))
                .toList();
    }

    /**
     * Loads the files of other settings, for ports that have TLS.
     *
     * @return lets new connections use them
     * @throws io.millrace.gateway.app.StartException if they cannot be used
     */
    Runnable prepare(Optional<TlsSettings> nextS3, Optional<TlsSettings> nextAdmin) {
        List<Runnable> steps = Stream.of(step(s3, nextS3), step(admin, nextAdmin))
                .flatMap(Optional::stream)
                .toList();
        return () -> steps.forEach(Runnable::run);
    }

    private static Optional<Runnable> step(Optional<ReloadingTlsContext> port, Optional<TlsSettings> next) {
        return port.flatMap(context -> next.map(context::prepare));
    }

    @Override
    public void close() {
        thread.shutdown();
    }

    private static void register(ReloadingTlsContext context, MeterRegistry registry) {
        TimeGauge.builder(
                        MeterName.TLS_EXPIRY.wireName(),
                        context,
                        TimeUnit.SECONDS,
                        c -> c.expiresAt().getEpochSecond())
                .description(MeterName.TLS_EXPIRY.description())
                .tag("port", context.port())
                .register(registry);
        Gauge.builder(MeterName.TLS_RELOAD_FAILING.wireName(), context, c -> c.isFailing() ? 1 : 0)
                .description(MeterName.TLS_RELOAD_FAILING.description())
                .tag("port", context.port())
                .register(registry);
    }
}
