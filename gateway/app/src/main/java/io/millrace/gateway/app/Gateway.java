package io.millrace.gateway.app;

import io.millrace.config.binding.LoadedSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;

/** Running gateway: the data plane and the control plane in one Spring context. */
public final class Gateway implements AutoCloseable {
    /** Log levels that keep the log to what operators can use: each event once, in this program's words. */
    private static final Map<String, Object> LOG = Map.ofEntries(
            // StartFailureExplainer reports failures to start.
            Map.entry("logging.level.org.springframework.boot.SpringApplication", "OFF"),
            Map.entry("logging.level.org.springframework.boot.diagnostics", "OFF"),
            Map.entry("logging.level.org.springframework.boot.autoconfigure.logging", "OFF"),
            Map.entry("logging.level.org.springframework.boot.web", "ERROR"),
            // It logs "(http)" for the control port also when that speaks TLS, which is not installed by Spring.
            Map.entry("logging.level.org.springframework.boot.reactor.netty.NettyWebServer", "WARN"),
            Map.entry("logging.level.org.springframework.context", "ERROR"),
            // It logs each undecodable request over several lines, with text that the client chose.
            Map.entry("logging.level.reactor.netty.http.server.HttpServerOperations", "ERROR"),
            // They log each failed or cancelled exchange, which this program logs already.
            Map.entry("logging.level.reactor.netty.http.client.HttpClientConnect", "ERROR"),
            Map.entry("logging.level.reactor.netty.channel.FluxReceive", "ERROR"),
            // Random bytes do as well: a container may have no network but the loopback.
            Map.entry("logging.level.io.netty.util.internal.MacAddressUtil", "ERROR"),
            // The frames further down are those of Reactor and Netty.
            Map.entry("logging.pattern.console", "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{20} %msg%n%ex{12}"),
            Map.entry("logging.structured.json.stacktrace.max-throwable-depth", "12"),
            Map.entry("logging.structured.ecs.service.name", "millrace"));

    private static final Logger log = LoggerFactory.getLogger(Gateway.class);

    private final ConfigurableApplicationContext context;
    private final DataFolder data;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CompletableFuture<String> death;

    private Gateway(ConfigurableApplicationContext context, DataFolder data) {
        this.context = context;
        this.data = data;
        this.death = context.getBean(ThreadWatch.class).death();
        CompletableFuture<Void> unused = death.thenRun(stopped::countDown);
        context.addApplicationListener((ApplicationListener<ContextClosedEvent>) closed -> stopped.countDown());
    }

    /**
     * Starts a gateway with these settings; both ports are open when it returns.
     *
     * @throws StartException if the operator can fix what keeps it from starting
     */
    public static Gateway start(LoadedSettings<MillraceSettings> loaded) {
        return start(loaded, Optional.empty());
    }

    /**
     * Starts a gateway with these settings.
     *
     * @param source the settings, to be read again by reloads; empty if there is no settings file
     * @throws StartException if the operator can fix what keeps it from starting
     */
    public static Gateway start(LoadedSettings<MillraceSettings> loaded, Optional<SettingsSource> source) {
        MillraceSettings settings = loaded.settings();
        // Before anything writes to it: it may be another gateway's.
        DataFolder data = DataFolder.open(settings.data());
        SpringApplication application = new SpringApplicationBuilder(GatewayConfiguration.class)
                .web(WebApplicationType.REACTIVE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .properties(properties(settings))
                .initializers(context -> register((GenericApplicationContext) context, settings, source))
                .application();
        try {
            Gateway gateway = new Gateway(application.run(), data);
            gateway.context.getBean(CacheLifecycle.class).startRecovery();
            data.recordPorts(gateway.ports());
            log.info("The console is at {}", gateway.consoleUrl());
            data.report();
            loaded.warnings().forEach(warning -> log.warn("Settings: {}", warning.oneLine()));
            return gateway;
        } catch (RuntimeException failure) {
            data.close();
            throw StartFailureExplainer.explain(failure, settings);
        }
    }

    private static void register(
            GenericApplicationContext context, MillraceSettings settings, Optional<SettingsSource> source) {
        context.registerBean(MillraceSettings.class, () -> settings);
        source.ifPresent(file -> context.registerBean(SettingsSource.class, () -> file));
    }

    /** Returns the port of the data plane. */
    public int s3Port() {
        return context.getBean(DataPlaneLifecycle.class).port();
    }

    /** Returns the port of the control plane. */
    public int adminPort() {
        return Objects.requireNonNull(((ReactiveWebServerApplicationContext) context).getWebServer())
                .getPort();
    }

    /** Returns all ports that clients, operators and other members of a cluster use. */
    private List<Integer> ports() {
        IntStream ofClients =
                context.getBeansOfType(PortLifecycle.class).values().stream().flatMapToInt(PortLifecycle::ports);
        IntStream ofMembers = context.getBeansOfType(ClusterMembership.class).values().stream()
                .mapToInt(ClusterMembership::port);
        return Stream.of(ofClients, IntStream.of(adminPort()), ofMembers)
                .flatMapToInt(Function.identity())
                .boxed()
                .toList();
    }

    /** Returns the console's URL for a browser on this machine. */
    public String consoleUrl() {
        ControlPlaneSettings admin = context.getBean(MillraceSettings.class).admin();
        return LocalUrl.of(admin.tls().isPresent(), admin.address(), adminPort()) + "/";
    }

    /** Reloads the settings file in the background. The log says what came of it. */
    public void reload() {
        context.getBean(SettingsReloader.class)
                .apply()
                .subscribe(applied -> {}, refused -> log.debug("The reload that a signal asked for failed", refused));
    }

    /**
     * Waits until a signal or {@link #close} has stopped the gateway, or it cannot serve any more.
     *
     * @return false if an event loop or another thread has died of an error: what it served hangs, and an orderly stop
     *     would wait for it
     */
    public boolean awaitStop() throws InterruptedException {
        stopped.await();
        return !death.isDone();
    }

    /**
     * Returns what takes the failures that escape on the threads of a process with this gateway alone, and ends
     * {@link #awaitStop} if one of them is an {@link Error}.
     */
    public Thread.UncaughtExceptionHandler uncaughtFailures() {
        return context.getBean(ThreadWatch.class);
    }

    /** Drains requests and stops the gateway. */
    @Override
    public void close() {
        context.close();
        data.close();
    }

    private static Map<String, Object> properties(MillraceSettings settings) {
        Map<String, Object> properties = new HashMap<>(LOG);
        if (settings.log().format() == LogSettings.Format.JSON) {
            properties.put("logging.structured.format.console", "ecs");
        }
        properties.put("server.address", settings.admin().address());
        properties.put("server.port", settings.admin().port());
        properties.put("server.netty.idle-timeout", settings.s3().idleTimeout().toString());
        // Boot believes these headers of anyone where it finds itself on Kubernetes; a client's address is for
        // TrustedProxies to find.
        properties.put("server.forward-headers-strategy", "none");
        // Files in jars, such as those of the chart library, are served by the console only, with its headers.
        properties.put("spring.web.resources.add-mappings", "false");
        // Requests are drained before: to wait for more that might come made each stop two seconds longer.
        properties.put("spring.reactor.netty.shutdown-quiet-period", "0s");
        // A drain may take as long as the operator allows, plus some time to close the remaining connections.
        properties.put(
                "spring.lifecycle.timeout-per-shutdown-phase",
                settings.s3()
                        .shutdownDelay()
                        .plus(settings.s3().shutdownTimeout())
                        .plusSeconds(10)
                        .toString());
        return properties;
    }
}
