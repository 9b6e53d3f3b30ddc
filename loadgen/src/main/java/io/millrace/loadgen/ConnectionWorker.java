package io.millrace.loadgen;

import io.millrace.loadgen.Measurement.Outcome;
import io.millrace.loadgen.client.S3Connection;
import java.util.concurrent.TimeUnit;

/** Runs operations on one connection, one after the other, until the pacer ends the phase. */
final class ConnectionWorker {
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final S3Connection connection;
    private final PhaseOperationDispatcher load;
    private long own;
    private long pause = FIRST_PAUSE;

    ConnectionWorker(S3Connection connection, PhaseOperationDispatcher load) {
        this.connection = connection;
        this.load = load;
    }

    /** Starts the first operation. May be called on any thread. */
    void start() {
        connection.schedule(this::next, 0);
    }

    private void next() {
        long number = load.pacer().next();
        if (number == Pacer.END) {
            connection.close();
            load.onWorkerEnd();
            return;
        }
        long dueAt = load.pacer().dueAt(number);
        long wait = dueAt - System.nanoTime();
        if (wait > 0) {
            connection.schedule(() -> run(number, dueAt), wait);
        } else {
            run(number, dueAt);
        }
    }

    private void run(long number, long dueAt) {
        load.operation(number, own++).start(connection, measurement -> end(measurement, number, dueAt));
    }

    /** Waits after a lost request: a loop of connections that are refused at once would only heat the machine. */
    private void end(Measurement measurement, long number, long dueAt) {
        load.record(measurement, number, dueAt);
        if (measurement.outcome() == Outcome.LOST) {
            connection.schedule(this::next, pause);
            pause = Math.min(LONGEST_PAUSE, 2 * pause);
        } else {
            pause = FIRST_PAUSE;
            next();
        }
    }
}
