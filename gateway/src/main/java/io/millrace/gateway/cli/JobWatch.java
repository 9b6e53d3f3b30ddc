package io.millrace.gateway.cli;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** Follows a job until it is at rest: by events, and by asking where there are none. */
final class JobWatch {
    private final Api api;
    private final Display display;
    private final Patience patience;
    private final InstantSource clock;

    /**
     * @param between two questions
     * @param silence of a server that does not answer, until nobody waits any longer: it may be starting anew
     */
    record Patience(Duration between, Duration silence) {
        static final Patience USUAL = new Patience(Duration.ofSeconds(1), Duration.ofMinutes(2));
    }

    JobWatch(Api api, Display display, Patience patience, InstantSource clock) {
        this.api = api;
        this.display = display;
        this.patience = patience;
        this.clock = clock;
    }

    /**
     * The job at rest. Whoever interrupts the program is told how to come back.
     *
     * @throws CliException if it cannot be followed any longer
     */
    JobSnapshot follow(JobSnapshot job) {
        Thread leaving = new Thread(() -> detached(job.id()), "leaving");
        Runtime.getRuntime().addShutdownHook(leaving);
        try {
            JobSnapshot ended = untilAtRest(job);
            synchronized (display) {
                display.end(ended);
            }
            return ended;
        } finally {
            forget(leaving);
        }
    }

    private JobSnapshot untilAtRest(JobSnapshot first) {
        JobSnapshot now = first;
        show(now);
        while (now.isActive()) {
            now = heard(now);
            if (now.isActive()) {
                sleep();
                now = asked(now.id());
                show(now);
            }
        }
        return now;
    }

    /** The job as the last event told it. */
    private JobSnapshot heard(JobSnapshot before) {
        JobSnapshot last = before;
        try (EventStream events = api.events(before.id())) {
            Optional<EventStream.Event> event = events.next();
            while (event.isPresent()) {
                last = event.get().job().orElse(last);
                show(last);
                event = last.isActive() ? events.next() : Optional.empty();
            }
        } catch (IOException lost) {
            // The questions that follow find out whether the server is still there.
        }
        return last;
    }

    private JobSnapshot asked(String id) {
        Instant end = clock.instant().plus(patience.silence());
        boolean told = false;
        while (true) {
            try {
                return api.job(id);
            } catch (CliException e) {
                if (e.exitCode() != ExitCode.UNREACHABLE) {
                    throw e;
                }
                if (!clock.instant().isBefore(end)) {
                    throw CliException.unreachable(
                            "%s%nThe job goes on with the server; follow it: millrace jobs watch %s"
                                    .formatted(e.getMessage(), id));
                }
            }
            if (!told) {
                told = true;
                synchronized (display) {
                    display.say("the server does not answer; trying again");
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

    private void detached(String id) {
        synchronized (display) {
            display.say("The job goes on without this command. To come back: millrace jobs watch " + id);
        }
    }

    private static void forget(Thread leaving) {
        try {
            Runtime.getRuntime().removeShutdownHook(leaving);
        } catch (IllegalStateException e) {
            // The program is ending, and the hook runs.
        }
    }

    private void sleep() {
        try {
            Thread.sleep(patience.between().toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.failed("interrupted");
        }
    }
}
