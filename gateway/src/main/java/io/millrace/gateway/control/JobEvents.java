package io.millrace.gateway.control;

import io.millrace.gateway.job.JobException;
import io.millrace.gateway.job.JobStatus;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.http.codec.ServerSentEvent;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Tells how a job goes on, until it is not at work. */
final class JobEvents implements ApplicationListener<ContextClosedEvent> {
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
     * An event when something has changed, the first at once, the last when the job is not at work or is forgotten.
     *
     * @param job looks in memory
     */
    Flux<ServerSentEvent<JobView>> of(Supplier<JobStatus> job) {
        Flux<ServerSentEvent<JobView>> changes = Flux.interval(Duration.ZERO, step)
                .onBackpressureDrop()
                .map(tick -> job.get())
                .distinctUntilChanged(JobEvents::whatCounts)
                .takeUntil(now -> !now.state().isActive())
                .onErrorComplete(JobException.class)
                .map(now ->
                        ServerSentEvent.builder(JobView.of(now)).event("job").build());
        Flux<ServerSentEvent<JobView>> signsOfLife = Flux.interval(heartbeat)
                .onBackpressureDrop()
                .map(tick -> ServerSentEvent.<JobView>builder().comment("").build());
        return changes.publish(shared -> Flux.merge(shared, signsOfLife.takeUntilOther(shared.ignoreElements())))
                .takeUntilOther(closing.asMono());
    }

    /** Time goes on in any case. */
    private static List<Object> whatCounts(JobStatus job) {
        return List.of(job.state(), job.message(), job.progress());
    }
}
