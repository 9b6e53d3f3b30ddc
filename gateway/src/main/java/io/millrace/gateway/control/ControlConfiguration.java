package io.millrace.gateway.control;

import io.millrace.gateway.freshness.ObjectEvents;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;

/** How the API is put together; it wants {@link ControlParts}. */
@Configuration(proxyBeanMethods = false)
public class ControlConfiguration {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);
    private static final int STREAMS_OF_ONE = 16;
    private static final int STREAMS = 256;
    private static final int BODIES_OF_ONE = 16;
    /** Each may be a megabyte, and a minute on its way. */
    private static final int BODIES = 64;

    private static final int EXPLANATIONS_OF_ONE = 8;
    /** Each may be one of those who look at all blocks of an object: half are left for others. */
    private static final int EXPLANATIONS = 32;

    @Bean
    ApiFilter apiFilter(ControlParts parts) {
        return new ApiFilter(
                new Callers(parts.verifier(), parts.tokens()),
                new ApiBody(PATIENCE, new FairShare("bodies under way", BODIES_OF_ONE, BODIES)));
    }

    @Bean
    ProblemHandler problemHandler() {
        return new ProblemHandler();
    }

    @Bean
    WebFluxConfigurer apiJson() {
        return new WebFluxConfigurer() {
            @Override
            public void configureHttpMessageCodecs(ServerCodecConfigurer codecs) {
                codecs.defaultCodecs().maxInMemorySize(ApiBody.MOST_BYTES);
                // Which of them a path takes is said by its handler.
                codecs.defaultCodecs()
                        .jacksonJsonDecoder(new JacksonJsonDecoder(
                                ApiJson.MAPPER, MediaType.APPLICATION_JSON, MediaType.TEXT_PLAIN));
                codecs.defaultCodecs().jacksonJsonEncoder(new JacksonJsonEncoder(ApiJson.MAPPER));
            }
        };
    }

    @Bean
    DocumentController documentController() {
        return new DocumentController();
    }

    @Bean
    JobEvents jobEvents() {
        return new JobEvents(STEP, HEARTBEAT);
    }

    @Bean
    JobsController jobsController(ControlParts parts, JobEvents events) {
        return new JobsController(
                parts.jobs(), events, new FairShare("streams of events open", STREAMS_OF_ONE, STREAMS));
    }

    @Bean
    RouterFunction<ServerResponse> consoleFiles() {
        return new ConsoleFiles().routes();
    }

    @Bean
    WhoController whoController(ControlParts parts) {
        return new WhoController(new Operators(parts.policy()));
    }

    @Bean
    BucketsController bucketsController(ControlParts parts) {
        return new BucketsController(parts.buckets(), parts.policy());
    }

    @Bean
    InvalidationsController invalidationsController(ControlParts parts) {
        return new InvalidationsController(parts.buckets(), parts.policy(), parts.writes());
    }

    @Bean
    NotificationsController notificationsController(ControlParts parts) {
        return new NotificationsController(parts.buckets(), parts.policy(), new ObjectEvents(parts.writes()));
    }

    @Bean
    ResidencyController residencyController(ControlParts parts) {
        return new ResidencyController(parts.buckets(), parts.policy(), parts.residents());
    }

    @Bean
    StatusController statusController(ControlParts parts) {
        return new StatusController(new Operators(parts.policy()), parts.status());
    }

    @Bean
    DisksController disksController(ControlParts parts) {
        return new DisksController(new Operators(parts.policy()), parts.status(), parts.disks());
    }

    @Bean
    TrafficController trafficController(ControlParts parts) {
        return new TrafficController(new Operators(parts.policy()), parts.history());
    }

    @Bean
    BackendsController backendsController(ControlParts parts) {
        return new BackendsController(new Operators(parts.policy()), parts.backends());
    }

    @Bean
    ExplainController explainController(ControlParts parts) {
        return new ExplainController(
                parts.buckets(),
                parts.policy(),
                parts.objects(),
                new FairShare("explanations under way", EXPLANATIONS_OF_ONE, EXPLANATIONS));
    }
}
