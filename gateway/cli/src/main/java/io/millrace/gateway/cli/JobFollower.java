package io.millrace.gateway.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** Polls the control API until a job has ended or is paused, and shows its progress in the terminal. */
record JobFollower(ControlApiClient api, JobDisplay display, PollTiming timing, InstantSource clock) {
    /**
     * Timing of polls.
     *
     * @param interval interval between two polls
     * @param timeout how long to wait for a server that does not respond: it may be restarting
     */
    record PollTiming(Duration interval, Duration timeout) {
        static final PollTiming DEFAULT = new PollTiming(Duration.ofSeconds(1), Duration.ofMinutes(2));
    }

    /**
     * Follows {@code job} and returns its last state. An interrupt prints the command that follows the job again.
     *
     * @throws CliException if the server cannot be reached any more
     */
    JobSnapshot follow(JobSnapshot job) {
        Thread leaving = new Thread(() -> showHowToReturn(job.id()), "leaving");
        Runtime.getRuntime().addShutdownHook(leaving);
        try {
            JobSnapshot ended = followToEnd(job);
            synchronized (display) {
                display.showEnd(ended);
            }
            return ended;
        } finally {
            removeHook(leaving);
        }
    }

    private JobSnapshot followToEnd(JobSnapshot first) {
        JobSnapshot now = first;
        show(now);
        while (now.isActive()) {
            sleep();
            now = poll(now.id());
            show(now);
        }
        return now;
    }

    private JobSnapshot poll(String id) {
        Instant end = clock.instant().plus(timing.timeout());
        boolean reported = false;
        while (true) {
            try {
                return api.jobProgress(id);
            } catch (CliException e) {
                if (e.exitCode() != ExitCode.UNREACHABLE) {
                    throw e;
                }
                if (!clock.instant().isBefore(end)) {
                    throw CliException.unreachable(
                            "%s%nThe job continues on the server. To follow it: millrace jobs watch %s"
                                    .formatted(e.getMessage(), id));
                }
            }
            if (!reported) {
                reported = true;
                synchronized (display) {
                    display.showMessage("the server does not respond; retrying");
                }
            }
            sleep();
        }
    }

    private void show(JobSnapshot job) {
        synchronized (display) {
            display.show(job, clock.instant());
        }
    }

    private void showHowToReturn(String id) {
        synchronized (display) {
            display.showMessage("The job continues on the server. To follow it: millrace jobs watch " + id);
        }
    }

    private static void removeHook(Thread leaving) {
        try {
            Runtime.getRuntime().removeShutdownHook(leaving);
        } catch (IllegalStateException e) {
            // The program is shutting down and runs the hook.
        }
    }

    private void sleep() {
        try {
            Thread.sleep(timing.interval().toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.failed("interrupted");
        }
    }
}
