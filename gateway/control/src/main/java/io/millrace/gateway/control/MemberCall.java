package io.millrace.gateway.control;

import io.millrace.gateway.jobs.plan.RawJobRequest;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A control call that one member of a cluster asks another to do for itself, as JSON. One of the parts is given: there
 * is nothing else that a member can be asked for. Who asks has checked the rights of its caller.
 */
record MemberCall(
        @Nullable ResidencyCall residency,
        @Nullable ExplainCall explain,
        @Nullable JobCall job,
        @Nullable PinsCall pins) {
    /** A step of a scan of what the member counts; see {@link ResidencyController}. */
    record ResidencyCall(String bucket, String prefix, String delimiter, String from) {}

    /**
     * The question what the member has of an object.
     *
     * @param lists whether it may be told that there is no such key
     */
    record ExplainCall(String bucket, String key, boolean lists) {}

    /**
     * An action on the member's part of a job.
     *
     * @param owner of the job
     * @param token the client token of the part
     * @param action the word of a {@link JobAction}
     * @param request of the part; only to submit it
     */
    record JobCall(
            String owner,
            String token,
            String action,
            @Nullable RawJobRequest request) {
        JobAction named() {
            return JobAction.valueOf(action.toUpperCase(Locale.ROOT));
        }
    }

    /** The actions on a part of a job. */
    enum JobAction {
        SUBMIT,
        SHOW,
        PAUSE,
        RESUME,
        CANCEL,
        DELETE;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The question which jobs of the member pin objects.
     *
     * @param known ids of jobs whose requests are known
     */
    record PinsCall(Set<String> known) {
        PinsCall {
            known = Set.copyOf(known);
        }
    }

    static MemberCall of(ResidencyCall call) {
        return new MemberCall(call, null, null, null);
    }

    static MemberCall of(ExplainCall call) {
        return new MemberCall(null, call, null, null);
    }

    static MemberCall of(JobCall call) {
        return new MemberCall(null, null, call, null);
    }

    static MemberCall of(PinsCall call) {
        return new MemberCall(null, null, null, call);
    }
}
