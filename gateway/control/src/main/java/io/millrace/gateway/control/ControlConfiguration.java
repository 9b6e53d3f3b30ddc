package io.millrace.gateway.control;

import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.TrustedProxies;
import io.millrace.auth.session.RevocationLog;
import io.millrace.auth.session.SignInSealer;
import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.objects.derived.ArchiveIndexes;
import io.millrace.gateway.objects.monitor.RecentRequestSource;
import io.millrace.gateway.objects.monitor.TrafficHistorySource;
import io.millrace.gateway.objects.read.CacheResidency;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.objects.write.ObjectEventHandler;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;

/** Spring configuration of the control API and the console. Needs beans of all that its methods take. */
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
    ApiAuthenticationFilter apiFilter(SettingsInForce inForce, TrustedProxies proxies) {
        return new ApiAuthenticationFilter(
                new CallerAuthenticator(
                        inForce.verifier(),
                        inForce.tokens(),
                        inForce.credentials(),
                        request -> inForce.signIn().get().isSecure(request, proxies)),
                new SignedApiBodyReader(
                        BODY_TIMEOUT, new ConcurrencyLimiter("bodies under way", BODIES_OF_ONE, BODIES)),
                proxies);
    }

    @Bean
    ControlAuthorizer controlAuthorizer(Authorizer authorizer) {
        return new ControlAuthorizer(authorizer);
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
    MemberCaller memberCaller(SharedCacheMembers members) {
        return new MemberCaller(members);
    }

    @Bean
    LocalResidency localResidency(Optional<CacheResidency> residents, SharedCacheMembers members) {
        return new LocalResidency(residents, members::isCountedHere);
    }

    /** Given to the cluster, for other members. */
    @Bean
    LocalCalls localCalls(
            SharedCacheMembers members,
            SettingsInForce inForce,
            LocalResidency residency,
            CurrentObjectFinder objects,
            JobService jobs) {
        return new LocalCalls(members.self(), inForce.buckets(), residency, objects, jobs);
    }

    @Bean(destroyMethod = "close")
    MemberPins memberPins(MemberCaller members, JobService jobs) {
        MemberPins pins = new MemberPins(members, jobs::followPins);
        pins.start();
        return pins;
    }

    @Bean
    JobsController jobsController(JobService jobs, MemberCaller members) {
        return new JobsController(jobs, new ClusterJobs(members));
    }

    @Bean
    SchedulesController schedulesController(Schedules schedules, JobService jobs) {
        return new SchedulesController(schedules, jobs);
    }

    @Bean
    RouterFunction<ServerResponse> consoleFiles() {
        return new ConsoleFiles().routes();
    }

    @Bean
    RouterFunction<ServerResponse> signInRoutes(SettingsInForce inForce, SignInSealer sealer, TrustedProxies proxies) {
        return new SignInRoutes(inForce.signIn(), sealer, proxies, InstantSource.system()).routes();
    }

    @Bean
    SessionController sessionController(SettingsInForce inForce, RevocationLog revocations, TrustedProxies proxies) {
        return new SessionController(inForce.signIn(), revocations, proxies, InstantSource.system());
    }

    @Bean
    WhoAmIController whoController(ControlAuthorizer authorizer, Supplier<Optional<ClusterView>> cluster) {
        return new WhoAmIController(authorizer, cluster);
    }

    @Bean
    BucketsController bucketsController(SettingsInForce inForce, Authorizer authorizer) {
        return new BucketsController(inForce.buckets(), authorizer);
    }

    @Bean
    InvalidationsController invalidationsController(
            SettingsInForce inForce, Authorizer authorizer, FencedWrites writes, Optional<CacheResidency> residents) {
        return new InvalidationsController(inForce.buckets(), authorizer, writes, residents);
    }

    @Bean
    NotificationsController notificationsController(
            SettingsInForce inForce, Authorizer authorizer, FencedWrites writes) {
        return new NotificationsController(inForce.buckets(), authorizer, new ObjectEventHandler(writes));
    }

    @Bean
    ResidencyController residencyController(
            SettingsInForce inForce, Authorizer authorizer, LocalResidency here, MemberCaller members) {
        return new ResidencyController(inForce.buckets(), authorizer, here, members);
    }

    @Bean
    AlarmAcknowledgements alarmAcknowledgements() {
        return new AlarmAcknowledgements();
    }

    @Bean
    StatusController statusController(
            ControlAuthorizer authorizer, Supplier<GatewayStatus> status, AlarmAcknowledgements known) {
        return new StatusController(authorizer, status, known);
    }

    @Bean
    AlarmsController alarmsController(
            SettingsInForce inForce,
            ControlAuthorizer authorizer,
            Supplier<GatewayStatus> status,
            JobService jobs,
            AlarmAcknowledgements known) {
        return new AlarmsController(authorizer, status, inForce.backends(), jobs, known, InstantSource.system());
    }

    @Bean
    DisksController disksController(
            ControlAuthorizer authorizer, Supplier<GatewayStatus> status, Optional<DiskOperations> disks) {
        return new DisksController(authorizer, status, disks);
    }

    @Bean
    ClusterController clusterController(ControlAuthorizer authorizer, Supplier<Optional<ClusterView>> cluster) {
        return new ClusterController(authorizer, cluster);
    }

    @Bean
    TrafficController trafficController(ControlAuthorizer authorizer, TrafficHistorySource traffic) {
        return new TrafficController(authorizer, traffic);
    }

    @Bean
    BackendsController backendsController(SettingsInForce inForce, ControlAuthorizer authorizer) {
        return new BackendsController(authorizer, inForce.backends());
    }

    @Bean
    ErrorsController errorsController(ControlAuthorizer authorizer, RecentRequestSource recent) {
        return new ErrorsController(authorizer, recent);
    }

    @Bean
    ExplainController explainController(
            SettingsInForce inForce,
            Authorizer authorizer,
            CurrentObjectFinder objects,
            ArchiveIndexes archives,
            RecentRequestSource recent,
            MemberCaller members) {
        return new ExplainController(
                inForce.buckets(),
                authorizer,
                objects,
                archives,
                recent,
                new ConcurrencyLimiter("explanations under way", EXPLANATIONS_OF_ONE, EXPLANATIONS),
                members);
    }

    @Bean
    IdentitiesController identitiesController(SettingsInForce inForce, ControlAuthorizer authorizer) {
        return new IdentitiesController(authorizer, inForce.settings());
    }

    @Bean
    RevocationsController revocationsController(
            ControlAuthorizer authorizer, RevocationLog revocations, JobService jobs) {
        revocations.onMerge(jobs::refresh);
        return new RevocationsController(authorizer, revocations, jobs::refresh);
    }

    @Bean
    SettingsController settingsController(
            SettingsInForce inForce, ControlAuthorizer authorizer, SettingsReload reload) {
        return new SettingsController(authorizer, inForce.settings(), reload);
    }
}
