package io.millrace.gateway.app;

import io.millrace.gateway.jobs.HttpFetcher;
import io.millrace.gateway.jobs.JobAccess;
import io.millrace.gateway.jobs.JobCacheAccess;
import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.jobs.Webhooks;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/** Runs jobs while the gateway runs, and stops them before the parts of the gateway that they use. */
final class JobsLifecycle implements SmartLifecycle {
    /** Limit for closing the connections of downloads and webhooks; longer than they take to give up. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final JobService jobs;
    private final HttpFetcher fetcher;
    private final Webhooks webhooks;
    private volatile boolean running;

    private JobsLifecycle(JobService jobs, HttpFetcher fetcher, Webhooks webhooks) {
        this.jobs = jobs;
        this.fetcher = fetcher;
        this.webhooks = webhooks;
    }

    /**
     * @throws StartException if the jobs of earlier runs cannot be read
     */
    static JobsLifecycle open(
            MillraceSettings settings,
            Supplier<JobAccess> access,
            FencedWrites writes,
            Optional<JobCacheAccess> cache,
            JobMeters meters) {
        HttpFetcher fetcher = new HttpFetcher(settings.downloads());
        try {
            JobService jobs = JobService.open(
                    settings.data(), settings.jobs(), access, writes, cache, fetcher, meters, InstantSource.system());
            meters.watch(jobs);
            meters.watchWebhooks(settings.webhooks().keySet());
            Webhooks webhooks = new Webhooks(settings.webhooks(), meters::messageEnded, InstantSource.system());
            jobs.onEnd(webhooks::ended);
            return new JobsLifecycle(jobs, fetcher, webhooks);
        } catch (IOException e) {
            throw new StartException(
                    "the jobs in the data folder %s cannot be read: %s"
                            .formatted(settings.data(), FileFailureText.named(e)),
                    e);
        }
    }

    JobService jobs() {
        return jobs;
    }

    @Override
    public void start() {
        running = true;
        jobs.start();
    }

    @Override
    public void stop() {
        running = false;
        jobs.close();
        webhooks.close()
                .then(fetcher.close())
                .timeout(CLOSE_TIMEOUT)
                .onErrorComplete()
                .block();
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
