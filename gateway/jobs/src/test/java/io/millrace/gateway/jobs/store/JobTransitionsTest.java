package io.millrace.gateway.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.jobs.store.JobTransitions.Event;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of a job's states, cell by cell: a cell that changes here changes what owners may do with their jobs. */
class JobTransitionsTest {
    /** All events that a state allows; all others leave it as it is. */
    @ParameterizedTest
    @CsvSource({
        "SUBMITTED, BEGIN:RUNNING PAUSE:PAUSED CANCEL:CANCELLING FAIL:FAILED RESTART:SUBMITTED",
        "PLANNING, PAUSE:PAUSING CANCEL:CANCELLING STOP:SUBMITTED FINISH:DONE FINISH_PARTLY:DONE_WITH_FAILURES"
                + " FAIL:FAILED RESTART:SUBMITTED",
        "RUNNING, PAUSE:PAUSING CANCEL:CANCELLING STOP:SUBMITTED FINISH:DONE FINISH_PARTLY:DONE_WITH_FAILURES"
                + " FAIL:FAILED RESTART:SUBMITTED",
        "PAUSING, PAUSE:PAUSING CANCEL:CANCELLING STOP:PAUSED FINISH:DONE FINISH_PARTLY:DONE_WITH_FAILURES"
                + " FAIL:FAILED RESTART:PAUSED",
        "PAUSED, RESUME:SUBMITTED CANCEL:CANCELLING RESTART:PAUSED",
        "FAILED, RESUME:SUBMITTED CANCEL:CANCELLING RESTART:FAILED",
        "CANCELLING, CANCEL:CANCELLING STOP:CANCELLED FINISH:CANCELLED FINISH_PARTLY:CANCELLED FAIL:CANCELLED"
                + " RESTART:CANCELLING",
        "DONE, RESTART:DONE",
        "DONE_WITH_FAILURES, RESTART:DONE_WITH_FAILURES",
        "CANCELLED, RESTART:CANCELLED",
    })
    void allowsTheseEventsAndNoOthers(JobState state, String allowed) {
        Map<Event, JobState> expected = Arrays.stream(allowed.split(" "))
                .map(cell -> cell.split(":"))
                .collect(Collectors.toMap(cell -> Event.valueOf(cell[0]), cell -> JobState.valueOf(cell[1])));

        Map<Event, JobState> found = new TreeMap<>();
        for (Event event : Event.values()) {
            JobTransitions.next(state, event).ifPresent(next -> found.put(event, next));
        }

        assertThat(found).isEqualTo(expected);
    }

    @Test
    void jobThatIsOverStaysSo() {
        for (JobState state : JobState.values()) {
            for (Event event : Event.values()) {
                assertThat(JobTransitions.next(state, event).filter(next -> state.isOver() && next != state))
                        .as("%s after %s", state, event)
                        .isEmpty();
            }
        }
    }

    /** A new process has no run, so no state may wait for the end of one, except that it goes on cancelling. */
    @Test
    void restartLeavesNoJobInAStateOfARun() {
        for (JobState state : JobState.values()) {
            assertThat(JobTransitions.next(state, Event.RESTART))
                    .hasValueSatisfying(
                            next -> assertThat(next).isNotIn(JobState.PLANNING, JobState.RUNNING, JobState.PAUSING));
        }
    }
}
