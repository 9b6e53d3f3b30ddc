package io.millrace.gateway.control.jobs;

import io.millrace.gateway.jobs.JobException;
import io.millrace.gateway.jobs.JobStatus;
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

/** Streams the progress of jobs as server-sent events. */
public final class JobEventStreams implements ApplicationListener<ContextClosedEvent> {
    private static final Duration LONGEST = Duration.ofMinutes(15);

    private final Duration pollInterval;
    private final Duration heartbeat;
    private final Sinks.Empty<Void> closing = Sinks.empty();

    /**
     * @param step interval at which jobs are polled in memory
     * @param heartbeat interval of empty comments, which keep proxies from closing a silent connection
     */
    public JobEventStreams(Duration step, Duration heartbeat) {
        this.pollInterval = step;
        this.heartbeat = heartbeat;
    }

    /** Ends all streams, before the server waits for requests to finish. */
    @Override
    public void onApplicationEvent(ContextClosedEvent closed) {
        closing.tryEmitEmpty();
    }

    /**
     * Streams the changes of one job: the first event at once, the last when the job is no longer active or is deleted. The stream
     * ends after 15 minutes at the latest, so that the client must authenticate again.
     *
     * @param job reads the job from memory
     */
    Flux<ServerSentEvent<JobView>> streamJob(Supplier<JobStatus> job) {
        return withHeartbeats(ticks().take(LONGEST)
                .map(tick -> job.get())
                .distinctUntilChanged(JobEventStreams::visibleState)
                .takeUntil(now -> !now.state().isActive())
                .onErrorComplete(JobException.class)
                .map(now -> event("job", JobView.brief(now))));
    }

    /**
     * Streams the changes of a list of jobs; the first event comes at once and has all of them. The stream ends after 15 minutes, so
     * that the client must authenticate again.
     *
     * @param jobs reads the jobs from memory
     */
    Flux<ServerSentEvent<JobChanges>> streamAll(Supplier<List<JobStatus>> jobs) {
        return Flux.defer(() -> {
            Map<String, List<Object>> told = new HashMap<>();
            return withHeartbeats(ticks().take(LONGEST)
                    .map(tick -> JobChanges.since(told, jobs.get(), JobEventStreams::visibleState))
                    .index()
                    .filter(numbered ->
                            numbered.getT1() == 0 || !numbered.getT2().areNone())
                    .map(numbered -> event("jobs", numbered.getT2())));
        });
    }

    private Flux<Long> ticks() {
        return Flux.interval(Duration.ZERO, pollInterval).onBackpressureDrop();
    }

    private <T> Flux<ServerSentEvent<T>> withHeartbeats(Flux<ServerSentEvent<T>> changes) {
        Flux<ServerSentEvent<T>> signsOfLife = Flux.interval(heartbeat)
                .onBackpressureDrop()
                .map(tick -> ServerSentEvent.<T>builder().comment("").build());
        return changes.publish(shared -> Flux.merge(shared, signsOfLife.takeUntilOther(shared.ignoreElements())))
                .takeUntilOther(closing.asMono());
    }

    private static <T> ServerSentEvent<T> event(String name, T data) {
        return ServerSentEvent.builder(data).event(name).build();
    }

    /** The part of a job that makes an event when it changes; the time it has worked does not. */
    private static List<Object> visibleState(JobStatus job) {
        return List.of(job.state(), job.message(), job.report());
    }
}
