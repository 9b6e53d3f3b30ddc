package io.millrace.gateway.app;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Identities;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.job.CacheWork;
import io.millrace.gateway.job.Jobs;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import org.springframework.context.SmartLifecycle;

/** Lets jobs work while the gateway runs; they end before what they work with. */
final class RunningJobs implements SmartLifecycle {
    private final Jobs jobs;
    private volatile boolean running;

    private RunningJobs(Jobs jobs) {
        this.jobs = jobs;
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
        try {
            Jobs jobs = Jobs.open(
                    settings.data(),
                    settings.jobs(),
                    policy,
                    identities::named,
                    buckets,
                    writes,
                    cache,
                    meters,
                    InstantSource.system());
            meters.watch(jobs);
            return new RunningJobs(jobs);
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
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
