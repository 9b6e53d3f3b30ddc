package io.millrace.gateway.control;

import io.millrace.gateway.control.request.ApiAuthenticationFilter;
import io.millrace.gateway.control.request.ApiErrorHandler;
import io.millrace.gateway.control.request.ApiJsonMapper;
import io.millrace.gateway.control.request.CallerAuthenticator;
import io.millrace.gateway.control.request.ConcurrencyLimiter;
import io.millrace.gateway.control.request.SignedApiBodyReader;
import io.millrace.gateway.objects.write.ObjectEventHandler;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;

/** Spring configuration of the control API and the console. Needs a {@link ControlDependencies} bean. */
@Configuration(proxyBeanMethods = false)
public class ControlConfiguration {
    private static final Duration BODY_TIMEOUT = Duration.ofSeconds(60);
    private static final int BODIES_OF_ONE = 16;
    /** Each may take a megabyte of memory for a minute. */
    private static final int BODIES = 64;

    private static final int EXPLANATIONS_OF_ONE = 8;
    /** Each may scan the blocks of a large object; half of what the cache allows at a time is left for others. */
    private static final int EXPLANATIONS = 32;

    @Bean
    ApiAuthenticationFilter apiFilter(ControlDependencies parts) {
        return new ApiAuthenticationFilter(
                new CallerAuthenticator(
                        parts.verifier(),
                        parts.tokens(),
                        parts.credentials(),
                        request -> parts.signIn().get().isSecure(request, parts.proxies())),
                new SignedApiBodyReader(
                        BODY_TIMEOUT, new ConcurrencyLimiter("bodies under way", BODIES_OF_ONE, BODIES)),
                parts.proxies());
    }

    @Bean
    ApiErrorHandler problemHandler() {
        return new ApiErrorHandler();
    }

    @Bean
    WebFluxConfigurer apiJson() {
        return new WebFluxConfigurer() {
            @Override
            public void configureHttpMessageCodecs(ServerCodecConfigurer codecs) {
                codecs.defaultCodecs().maxInMemorySize(SignedApiBodyReader.MAX_BYTES);
                // Each handler declares which of these types it accepts.
                codecs.defaultCodecs()
                        .jacksonJsonDecoder(new JacksonJsonDecoder(
                                ApiJsonMapper.MAPPER, MediaType.APPLICATION_JSON, MediaType.TEXT_PLAIN));
                codecs.defaultCodecs().jacksonJsonEncoder(new JacksonJsonEncoder(ApiJsonMapper.MAPPER));
            }
        };
    }

    @Bean
    OpenApiController documentController() {
        return new OpenApiController();
    }

    @Bean
    JobsController jobsController(ControlDependencies parts) {
        return new JobsController(parts.jobs());
    }

    @Bean
    RouterFunction<ServerResponse> consoleFiles() {
        return new ConsoleFiles().routes();
    }

    @Bean
    RouterFunction<ServerResponse> signInRoutes(ControlDependencies parts) {
        return new SignInRoutes(parts.signIn(), parts.signInSealer(), parts.proxies(), InstantSource.system()).routes();
    }

    @Bean
    SessionController sessionController(ControlDependencies parts) {
        return new SessionController(parts.signIn(), parts.revocations(), parts.proxies(), InstantSource.system());
    }

    @Bean
    WhoAmIController whoController(ControlDependencies parts) {
        return new WhoAmIController(new ControlAuthorizer(parts.authorizer()));
    }

    @Bean
    BucketsController bucketsController(ControlDependencies parts) {
        return new BucketsController(parts.buckets(), parts.authorizer());
    }

    @Bean
    InvalidationsController invalidationsController(ControlDependencies parts) {
        return new InvalidationsController(parts.buckets(), parts.authorizer(), parts.writes(), parts.residents());
    }

    @Bean
    NotificationsController notificationsController(ControlDependencies parts) {
        return new NotificationsController(parts.buckets(), parts.authorizer(), new ObjectEventHandler(parts.writes()));
    }

    @Bean
    ResidencyController residencyController(ControlDependencies parts) {
        return new ResidencyController(parts.buckets(), parts.authorizer(), parts.residents());
    }

    @Bean
    AlarmAcknowledgements alarmAcknowledgements() {
        return new AlarmAcknowledgements();
    }

    @Bean
    StatusController statusController(ControlDependencies parts, AlarmAcknowledgements known) {
        return new StatusController(new ControlAuthorizer(parts.authorizer()), parts.status(), known);
    }

    @Bean
    AlarmsController alarmsController(ControlDependencies parts, AlarmAcknowledgements known) {
        return new AlarmsController(
                new ControlAuthorizer(parts.authorizer()),
                parts.status(),
                parts.backends(),
                parts.jobs(),
                known,
                InstantSource.system());
    }

    @Bean
    DisksController disksController(ControlDependencies parts) {
        return new DisksController(new ControlAuthorizer(parts.authorizer()), parts.status(), parts.disks());
    }

    @Bean
    ClusterController clusterController(ControlDependencies parts) {
        return new ClusterController(new ControlAuthorizer(parts.authorizer()), parts.cluster());
    }

    @Bean
    TrafficController trafficController(ControlDependencies parts) {
        return new TrafficController(new ControlAuthorizer(parts.authorizer()), parts.traffic());
    }

    @Bean
    BackendsController backendsController(ControlDependencies parts) {
        return new BackendsController(new ControlAuthorizer(parts.authorizer()), parts.backends());
    }

    @Bean
    ErrorsController errorsController(ControlDependencies parts) {
        return new ErrorsController(new ControlAuthorizer(parts.authorizer()), parts.recent());
    }

    @Bean
    ExplainController explainController(ControlDependencies parts) {
        return new ExplainController(
                parts.buckets(),
                parts.authorizer(),
                parts.objects(),
                parts.recent(),
                new ConcurrencyLimiter("explanations under way", EXPLANATIONS_OF_ONE, EXPLANATIONS));
    }

    @Bean
    IdentitiesController identitiesController(ControlDependencies parts) {
        return new IdentitiesController(new ControlAuthorizer(parts.authorizer()), parts.settings());
    }

    @Bean
    RevocationsController revocationsController(ControlDependencies parts) {
        return new RevocationsController(
                new ControlAuthorizer(parts.authorizer()), parts.revocations(), parts.jobs()::refresh);
    }

    @Bean
    SettingsController settingsController(ControlDependencies parts) {
        return new SettingsController(new ControlAuthorizer(parts.authorizer()), parts.settings(), parts.reload());
    }
}
