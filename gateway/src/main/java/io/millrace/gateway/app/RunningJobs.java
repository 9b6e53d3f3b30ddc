package io.millrace.gateway.app;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Identities;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.fetch.HttpFetcher;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.job.CacheWork;
import io.millrace.gateway.job.Jobs;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.springframework.context.SmartLifecycle;

/** Lets jobs work while the gateway runs; they end before what they work with. */
final class RunningJobs implements SmartLifecycle {
    /** Longer than connections take to be given up. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Jobs jobs;
    private final HttpFetcher fetcher;
    private volatile boolean running;

    private RunningJobs(Jobs jobs, HttpFetcher fetcher) {
        this.jobs = jobs;
        this.fetcher = fetcher;
    }

    /**
     * @throws StartException if the jobs of earlier runs cannot be read
     */
    static RunningJobs open(
            MillraceSettings settings,
            AccessPolicy policy,
            Identities identities,
            Buckets buckets,
            ObjectWrites writes,
            Optional<CacheWork> cache,
            JobMeters meters) {
        HttpFetcher fetcher = new HttpFetcher(settings.downloads());
        try {
            Jobs jobs = Jobs.open(
                    settings.data(),
                    settings.jobs(),
                    policy,
                    identities::named,
                    buckets,
                    writes,
                    cache,
                    fetcher,
                    meters,
                    InstantSource.system());
            meters.watch(jobs);
            return new RunningJobs(jobs, fetcher);
        } catch (IOException e) {
            throw new StartException("the jobs in the data folder cannot be read: " + e.getMessage(), e);
        }
    }

    Jobs jobs() {
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
        fetcher.close().timeout(PATIENCE).onErrorComplete().block();
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
