package io.millrace.gateway.jobs.store;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The table of the states of a job: which event leads from which state to which. */
public final class JobTransitions {
    /**
     * A cancelled job stays cancelled, whatever its last request brings. A state that does not allow an event has a
     * dash.
     */
    private static final String TABLE = """
            state              BEGIN   PAUSE   RESUME    CANCEL     STOP      FINISH    FINISH_PARTLY      FAIL      RESTART
            SUBMITTED          RUNNING PAUSED  -         CANCELLING -         -         -                  FAILED    SUBMITTED
            PLANNING           -       PAUSING -         CANCELLING SUBMITTED DONE      DONE_WITH_FAILURES FAILED    SUBMITTED
            RUNNING            -       PAUSING -         CANCELLING SUBMITTED DONE      DONE_WITH_FAILURES FAILED    SUBMITTED
            PAUSING            -       PAUSING -         CANCELLING PAUSED    DONE      DONE_WITH_FAILURES FAILED    PAUSED
            PAUSED             -       -       SUBMITTED CANCELLING -         -         -                  -         PAUSED
            FAILED             -       -       SUBMITTED CANCELLING -         -         -                  -         FAILED
            CANCELLING         -       -       -         CANCELLING CANCELLED CANCELLED CANCELLED          CANCELLED CANCELLING
            DONE               -       -       -         -          -         -         -                  -         DONE
            DONE_WITH_FAILURES -       -       -         -          -         -         -                  -         DONE_WITH_FAILURES
            CANCELLED          -       -       -         -          -         -         -                  -         CANCELLED
            """;

    private static final Map<JobState, Map<Event, JobState>> NEXT = read();

    private JobTransitions() {}

    /** An event that may change the state of a job. */
    public enum Event {
        /** A run begins. */
        BEGIN,
        /** The job is to pause. */
        PAUSE,
        /** A paused or failed job is to go on. */
        RESUME,
        /** The job is to end for good. */
        CANCEL,
        /**
         * The run has ended before its last object, because it was to; or, of a job without one, its uploads are
         * aborted.
         */
        STOP,
        /** All objects have ended, and none failed. */
        FINISH,
        /** All objects have ended, and some failed. */
        FINISH_PARTLY,
        /** The job cannot begin or go on. */
        FAIL,
        /** The process was started again. */
        RESTART
    }

    /** Returns the state after an event; empty if the state does not allow it. */
    public static Optional<JobState> next(JobState state, Event event) {
        return Optional.ofNullable(NEXT.getOrDefault(state, Map.of()).get(event));
    }

    private static Map<JobState, Map<Event, JobState>> read() {
        List<String[]> lines =
                TABLE.lines().map(line -> line.strip().split(" +", -1)).toList();
        Map<JobState, Map<Event, JobState>> table = new EnumMap<>(JobState.class);
        for (String[] line : lines.subList(1, lines.size())) {
            Map<Event, JobState> row = new EnumMap<>(Event.class);
            for (int column = 1; column < line.length; column++) {
                if (!line[column].equals("-")) {
                    row.put(Event.valueOf(lines.get(0)[column]), JobState.valueOf(line[column]));
                }
            }
            table.put(JobState.valueOf(line[0]), row);
        }
        return table;
    }
}
