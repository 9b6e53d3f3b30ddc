package io.millrace.gateway.control;

import io.millrace.gateway.control.MemberResponse.JobPart;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The sum of a job and its parts at other members: one job for whoever asks. Pure. */
final class JobSum {
    /** Of parts that have ended in different ways, the first of these says how all have. */
    private static final List<JobState> WORST_FIRST =
            List.of(JobState.FAILED, JobState.PAUSED, JobState.CANCELLED, JobState.DONE_WITH_FAILURES, JobState.DONE);

    private static final Set<String> ACTIVE = Arrays.stream(JobState.values())
            .filter(JobState::isActive)
            .map(JobState::text)
            .collect(Collectors.toUnmodifiableSet());

    private JobSum() {}

    /** @param responses of the other members, by their names */
    static JobView of(JobView own, Map<String, MemberResponse> responses) {
        List<JobPart> parts = responses.values().stream()
                .flatMap(response -> Optional.ofNullable(response.job()).stream())
                .toList();
        JobProgress progress = parts.stream().map(JobPart::progress).reduce(own.progress(), JobSum::plus);
        String state = state(own, parts, parts.size() < responses.size());
        boolean isActive = ACTIVE.contains(state);
        Optional<Instant> ended = isActive ? Optional.empty() : own.ended();
        return new JobView(
                own.id(),
                own.kind(),
                own.owner(),
                state,
                message(own, responses, progress),
                own.request(),
                progress,
                percent(progress),
                // What each member does in a second is told by none for all.
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                own.submitted(),
                own.started(),
                ended,
                own.activeMillis(),
                own.events());
    }

    private static JobProgress plus(JobProgress one, JobProgress other) {
        return new JobProgress(
                one.found() + other.found(),
                one.foundBytes() + other.foundBytes(),
                one.counted() && other.counted(),
                one.done() + other.done(),
                one.doneBytes() + other.doneBytes(),
                one.skipped() + other.skipped(),
                one.skippedBytes() + other.skippedBytes(),
                one.failed() + other.failed(),
                one.failedBytes() + other.failedBytes(),
                one.movedBytes() + other.movedBytes(),
                one.underWayBytes() + other.underWayBytes());
    }

    private static Optional<Double> percent(JobProgress all) {
        if (!all.counted() || all.found() == 0) {
            return Optional.empty();
        }
        return Optional.of(Math.min(1000, 1000 * all.ended() / all.found()) / 10.0);
    }

    /** Returns the state of a part that is active, or the worst. */
    private static String state(JobView own, List<JobPart> parts, boolean isIncomplete) {
        List<String> states = Stream.concat(
                        Stream.of(own.state()), parts.stream().map(JobPart::state))
                .toList();
        return states.stream().filter(ACTIVE::contains).findFirst().orElseGet(() -> worst(states, isIncomplete));
    }

    private static String worst(List<String> states, boolean isIncomplete) {
        return WORST_FIRST.stream()
                .filter(state ->
                        states.contains(state.text()) || (isIncomplete && state == JobState.DONE_WITH_FAILURES))
                .map(JobState::text)
                .findFirst()
                // Of a later release.
                .orElse(states.get(0));
    }

    /** Returns the messages of all that have one, but not that of a member that had nothing to do. */
    private static String message(JobView own, Map<String, MemberResponse> responses, JobProgress all) {
        List<String> messages = new ArrayList<>();
        boolean isOfNothing =
                own.state().equals(JobState.DONE.text()) && own.progress().found() == 0 && all.found() > 0;
        if (!own.message().isEmpty() && !isOfNothing) {
            messages.add(own.message());
        }
        responses.forEach((member, response) -> {
            JobPart part = response.job();
            if (part == null) {
                messages.add("member %s takes no part (%s), so what it has cached may still be there: evict again later"
                        .formatted(member, response.whyNot()));
            } else if (!part.message().isEmpty() && !part.state().equals(JobState.DONE.text())) {
                messages.add("at member %s: %s".formatted(member, part.message()));
            }
        });
        return String.join("; ", messages);
    }
}
