package io.millrace.gateway.control;

import io.millrace.gateway.job.JobException;
import io.millrace.gateway.job.JobStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.http.codec.ServerSentEvent;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Tells how jobs go on. */
final class JobEvents implements ApplicationListener<ContextClosedEvent> {
    private static final Duration LONGEST = Duration.ofMinutes(15);

    private final Duration step;
    private final Duration heartbeat;
    private final Sinks.Empty<Void> closing = Sinks.empty();

    /**
     * @param step between two looks at a job
     * @param heartbeat between two signs of life, for whoever on the way cuts connections that are silent
     */
    JobEvents(Duration step, Duration heartbeat) {
        this.step = step;
        this.heartbeat = heartbeat;
    }

    /** Streams end before the server waits for requests under way. */
    @Override
    public void onApplicationEvent(ContextClosedEvent closed) {
        closing.tryEmitEmpty();
    }

    /**
     * An event when something has changed, the first at once, the last when the job is not at work or is forgotten. It ends after a
     * while in any case, so that whoever goes on proves again who asks.
     *
     * @param job looks in memory
     */
    Flux<ServerSentEvent<JobView>> of(Supplier<JobStatus> job) {
        return alive(looks().take(LONGEST)
                .map(tick -> job.get())
                .distinctUntilChanged(JobEvents::whatCounts)
                .takeUntil(now -> !now.state().isActive())
                .onErrorComplete(JobException.class)
                .map(now -> event("job", JobView.brief(now))));
    }

    /**
     * An event when something has changed in a list of jobs, the first at once with all of them. It ends after a while, so that
     * whoever goes on proves again who asks.
     *
     * @param jobs looks in memory
     */
    Flux<ServerSentEvent<JobChanges>> ofAll(Supplier<List<JobStatus>> jobs) {
        return Flux.defer(() -> {
            Map<String, List<Object>> told = new HashMap<>();
            return alive(looks().take(LONGEST)
                    .map(tick -> JobChanges.since(told, jobs.get(), JobEvents::whatCounts))
                    .index()
                    .filter(numbered ->
                            numbered.getT1() == 0 || !numbered.getT2().areNone())
                    .map(numbered -> event("jobs", numbered.getT2())));
        });
    }

    private Flux<Long> looks() {
        return Flux.interval(Duration.ZERO, step).onBackpressureDrop();
    }

    private <T> Flux<ServerSentEvent<T>> alive(Flux<ServerSentEvent<T>> changes) {
        Flux<ServerSentEvent<T>> signsOfLife = Flux.interval(heartbeat)
                .onBackpressureDrop()
                .map(tick -> ServerSentEvent.<T>builder().comment("").build());
        return changes.publish(shared -> Flux.merge(shared, signsOfLife.takeUntilOther(shared.ignoreElements())))
                .takeUntilOther(closing.asMono());
    }

    private static <T> ServerSentEvent<T> event(String name, T data) {
        return ServerSentEvent.builder(data).event(name).build();
    }

    /** Time goes on in any case. */
    private static List<Object> whatCounts(JobStatus job) {
        return List.of(job.state(), job.message(), job.report());
    }
}
