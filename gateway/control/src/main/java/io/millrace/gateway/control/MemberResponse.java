package io.millrace.gateway.control;

import io.millrace.gateway.jobs.JobPin;
import io.millrace.gateway.jobs.JobStatus;
import io.millrace.gateway.jobs.store.JobProgress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a member to a {@link MemberCall}, as JSON: the part that was asked for, or why there is none.
 *
 * @param problem why there is no answer, in words for an operator
 */
record MemberResponse(
        @Nullable String problem,
        @Nullable ResidencyView residency,
        @Nullable HomeState home,
        @Nullable JobPart job,
        @Nullable List<JobPin> pins) {
    /**
     * A member's part of a job.
     *
     * @param state the word of a {@link io.millrace.gateway.jobs.store.JobState}
     */
    record JobPart(String state, String message, JobProgress progress) {
        static JobPart of(JobStatus job) {
            return new JobPart(job.state().text(), job.message(), job.progress());
        }
    }

    static MemberResponse ofProblem(String problem) {
        return new MemberResponse(problem, null, null, null, null);
    }

    static MemberResponse of(ResidencyView step) {
        return new MemberResponse(null, step, null, null, null);
    }

    static MemberResponse of(HomeState state) {
        return new MemberResponse(null, null, state, null, null);
    }

    static MemberResponse of(JobPart part) {
        return new MemberResponse(null, null, null, part, null);
    }

    static MemberResponse of(List<JobPin> pins) {
        return new MemberResponse(null, null, null, null, List.copyOf(pins));
    }

    /** Returns why the answer lacks the part that was asked for. */
    String whyNot() {
        return problem == null ? "it is of another release, which answers otherwise" : problem;
    }
}
